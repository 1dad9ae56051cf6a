// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A program that sets socket factories, and prints what it sees: none ({@code none}), one of sockets ({@code sockets}), or one of listeners
 * ({@code listeners}). On the plain JDK it prints the same.
 */
final class OwnSocketFactories {
    private OwnSocketFactories() {}

    @SuppressWarnings("deprecation") // as old programs do
    public static void main(String[] args) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            carry(listener);
            switch (args[0]) {
                case "none" -> {
                    set("sockets", Socket::setSocketImplFactory, null);
                    set("listeners", ServerSocket::setSocketFactory, null);
                    set("sockets", Socket::setSocketImplFactory, null);
                    carry(listener);
                }
                case "sockets" -> {
                    set("sockets", Socket::setSocketImplFactory, OwnSocketFactories::make);
                    set("sockets", Socket::setSocketImplFactory, OwnSocketFactories::make);
                    set("sockets", Socket::setSocketImplFactory, null);
                }
                case "listeners" -> {
                    set("listeners", ServerSocket::setSocketFactory, OwnSocketFactories::make);
                    set("listeners", ServerSocket::setSocketFactory, OwnSocketFactories::make);
                    carry(listener);
                }
                default -> throw new IllegalArgumentException(args[0]);
            }
            opened("socket", Socket::new);
            opened("listener", ServerSocket::new);
            accept(listener);
        }
    }

    private interface Setter {
        void set(SocketImplFactory factory) throws IOException;
    }

    private interface Opening {
        Closeable open() throws IOException;
    }

    private static void set(String what, Setter setter, SocketImplFactory factory) throws IOException {
        try {
            setter.set(factory);
            System.out.println(what + " set");
        } catch (SocketException e) {
            System.out.println(what + " refused: " + e.getMessage());
        }
    }

    private static SocketImpl make() {
        throw new UnsupportedOperationException("the program's factory");
    }

    private static void opened(String what, Opening opening) throws IOException {
        try {
            opening.open().close();
            System.out.println(what + " opened");
        } catch (UnsupportedOperationException e) {
            System.out.println(what + " of " + e.getMessage());
        }
    }

    /** A socket and an accepted socket. */
    private static void carry(ServerSocket listener) throws IOException {
        try (Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket server = listener.accept()) {
            client.getOutputStream().write(7);
            System.out.println("read " + server.getInputStream().read());
            server.getOutputStream().write(8);
            System.out.println("read " + client.getInputStream().read());
        }
    }

    /** A channel, which no factory makes, and an accepted socket. */
    private static void accept(ServerSocket listener) throws IOException {
        try (SocketChannel client = SocketChannel.open(listener.getLocalSocketAddress());
                Socket server = listener.accept()) {
            int unused = client.write(ByteBuffer.wrap(new byte[] {9}));
            System.out.println("accepted " + server.getInputStream().read());
        }
    }
}
