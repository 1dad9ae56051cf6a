// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * A program that knows nothing of Accel: says whether this host's own name can be resolved, connects to itself at the wildcard
 * addresses by each kind of socket, sends a byte, and prints the outcome, and how many connections left the kernel.
 */
final class WildcardOnce {
    private static int moved;

    private WildcardOnce() {}

    private interface Attempt {
        String at(InetAddress wildcard) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("own name " + ownName());
        for (String wildcard : new String[] {"0.0.0.0", "::"}) {
            InetAddress address = InetAddress.getByName(wildcard);
            say("channel " + wildcard, address, WildcardOnce::channel);
            say("channel's socket " + wildcard, address, WildcardOnce::adaptor);
            say("asynchronous " + wildcard, address, WildcardOnce::asynchronous);
            say("socket " + wildcard, address, WildcardOnce::socket);
        }
        System.out.println("moved " + moved);
    }

    private static String ownName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    private static void say(String what, InetAddress wildcard, Attempt attempt) {
        String outcome;
        try {
            outcome = attempt.at(wildcard);
        } catch (ExecutionException e) {
            outcome = e.getCause().getClass().getName();
        } catch (Exception e) {
            outcome = e.getClass().getName();
        }
        System.out.println(what + ": " + outcome);
    }

    private static String channel(InetAddress wildcard) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(0));
                SocketChannel client = SocketChannel.open(new InetSocketAddress(wildcard, portOf(listener)));
                SocketChannel server = listener.accept()) {
            return talk(Channels.newOutputStream(client), Channels.newInputStream(server), client.getRemoteAddress());
        }
    }

    private static String adaptor(InetAddress wildcard) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(0));
                Socket client = SocketChannel.open().socket()) {
            client.connect(new InetSocketAddress(wildcard, portOf(listener)), 10_000);
            try (Socket server = listener.accept().socket()) {
                return talk(client.getOutputStream(), server.getInputStream(), client.getRemoteSocketAddress());
            }
        }
    }

    private static String asynchronous(InetAddress wildcard) throws Exception {
        try (AsynchronousServerSocketChannel listener =
                        AsynchronousServerSocketChannel.open().bind(new InetSocketAddress(0));
                AsynchronousSocketChannel client = AsynchronousSocketChannel.open()) {
            Future<AsynchronousSocketChannel> accepting = listener.accept();
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            client.connect(new InetSocketAddress(wildcard, port)).get();
            try (AsynchronousSocketChannel server = accepting.get()) {
                return talk(
                        Channels.newOutputStream(client), Channels.newInputStream(server), client.getRemoteAddress());
            }
        }
    }

    private static String socket(InetAddress wildcard) throws IOException {
        try (ServerSocket listener = new ServerSocket(0);
                Socket client = new Socket(wildcard, listener.getLocalPort());
                Socket server = listener.accept()) {
            return talk(client.getOutputStream(), server.getInputStream(), client.getRemoteSocketAddress());
        }
    }

    private static int portOf(ServerSocketChannel listener) throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    private static String talk(OutputStream out, InputStream in, Object remote) throws IOException {
        out.write(7);
        int read = in.read();
        moved += SocketsOnce.isKernels() ? 0 : 1;
        return "read " + read + " of " + ((InetSocketAddress) remote).getAddress();
    }
}
