package io.accel.core.socket;

import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;

/** Runs in a JVM without the module {@code jdk.net}: listens and connects several times, in the directory that it is given. */
final class FewModulesProbe {
    private FewModulesProbe() {}

    public static void main(String[] args) throws IOException {
        Accelerator accelerator = new Accelerator(Profile.load("low-cpu", Map.of("shm.dir", args[0])));
        for (int i = 0; i < 3; i++) {
            try (ServerSocketChannel kernel = JdkAccess.kernelProvider().openServerSocketChannel()) {
                kernel.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
                InetSocketAddress address = (InetSocketAddress) kernel.getLocalAddress();
                StreamSocket socket =
                        new StreamSocket(accelerator, JdkAccess.kernelProvider().openSocketChannel());
                boolean accelerated = socket.connect(
                        address, source -> (InetSocketAddress) socket.kernel().getLocalAddress());
                System.out.println("accelerated " + accelerated + " " + socket.path());
                socket.kernel().close();
            }
        }
    }
}
