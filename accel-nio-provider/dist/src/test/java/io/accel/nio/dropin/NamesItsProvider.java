// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/**
 * A program that does not ask the JDK for its provider, but names one itself: it sends itself a byte and prints the byte's path.
 * It needs {@code --add-exports java.base/sun.nio.ch=ALL-UNNAMED}.
 */
final class NamesItsProvider {
    private NamesItsProvider() {}

    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        SelectorProvider named = (SelectorProvider) Class.forName("sun.nio.ch.DefaultSelectorProvider")
                .getMethod("get")
                .invoke(null);
        try (ServerSocketChannel listener = named.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel client = named.openSocketChannel()) {
                client.connect(listener.getLocalAddress());
                try (SocketChannel server = listener.accept()) {
                    System.out.println("channel " + client.getClass().getName());
                    client.write(ByteBuffer.wrap(new byte[] {7}));
                    ByteBuffer read = ByteBuffer.allocate(1);
                    server.read(read);
                    System.out.println("read " + read.get(0));
                    System.out.println("kernel's " + SocketsOnce.isKernels());
                }
            }
        }
    }
}
