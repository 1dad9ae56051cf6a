// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;

/** Runs in a JVM without the module {@code jdk.net}: listens and connects several times, in the directory that it is given. */
final class FewModulesProbe {
    private FewModulesProbe() {}

    public static void main(String[] args) throws IOException {
        Accelerator accelerator =
                new Accelerator(Profile.load("low-cpu", Map.of("shm.dir", args[0], "handover.after", "connect")));
        for (int i = 0; i < 3; i++) {
            try (ServerSocketChannel kernel = JdkAccess.kernelProvider().openServerSocketChannel()) {
                kernel.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
                InetSocketAddress address = (InetSocketAddress) kernel.getLocalAddress();
                StreamListener listener = new StreamListener(accelerator);
                listener.bound(address);
                try (SocketChannel channel = JdkAccess.kernelProvider().openSocketChannel()) {
                    channel.connect(address);
                    StreamSocket socket = new StreamSocket(accelerator, new ChannelAnchor(channel));
                    socket.connected();
                    System.out.println("accelerated " + (socket.attached() != null) + " " + socket.path());
                    socket.close(() -> false, true);
                }
                listener.close();
            }
        }
    }
}
