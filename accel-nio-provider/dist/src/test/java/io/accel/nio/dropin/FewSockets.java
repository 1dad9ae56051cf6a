// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** As {@link FewEchoes}, by {@code java.net.Socket}, with an option for each socket before and after it is connected. */
final class FewSockets {
    private FewSockets() {}

    public static void main(String[] args) throws IOException {
        int connections = Integer.parseInt(args[0]);
        int echoed = 0;
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < connections; i++) {
                try (Socket client = new Socket()) {
                    client.setTcpNoDelay(true);
                    client.connect(listener.getLocalSocketAddress());
                    try (Socket accepted = listener.accept()) {
                        accepted.setSoTimeout(60_000);
                        client.setSoTimeout(60_000);
                        client.getOutputStream().write(1);
                        accepted.getOutputStream()
                                .write(accepted.getInputStream().read());
                        echoed += client.getInputStream().read();
                    }
                }
            }
        }
        System.out.print("echoed ");
        System.out.println(echoed);
    }
}
