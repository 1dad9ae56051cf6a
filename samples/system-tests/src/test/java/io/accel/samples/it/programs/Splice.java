// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Half of a transparent proxy for one connection: {@code at=client via= port= mask=}, where a client comes to the server's port, or
 * {@code at=server via= from= to= port=}, from where the server is connected to, by the client's own address and port. The halves are in
 * two networks and joined by a Unix-domain socket; so the client's connection and the server's have the same addresses.
 *
 * <p>The client's half says {@code PORT n} when it listens. The client's bytes are changed by {@code mask}.
 */
public final class Splice {
    private static final int CHUNK = 64 << 10;

    private Splice() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Arguments arguments = new Arguments(args);
        UnixDomainSocketAddress via = UnixDomainSocketAddress.of(arguments.get("via", ""));
        if (arguments.get("at", "").equals("client")) {
            faceClient(arguments, via);
        } else {
            faceServer(arguments, via);
        }
    }

    private static void faceClient(Arguments arguments, UnixDomainSocketAddress via)
            throws IOException, InterruptedException {
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                ServerSocketChannel halves = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(new InetSocketAddress((int) arguments.get("port", 0)));
            halves.bind(via);
            new Console().say("PORT " + listener.socket().getLocalPort());
            try (SocketChannel half = halves.accept();
                    SocketChannel client = listener.accept()) {
                int port = ((InetSocketAddress) client.getRemoteAddress()).getPort();
                half.write(ByteBuffer.allocate(Integer.BYTES).putInt(port).flip());
                join(client, half, (byte) arguments.get("mask", 0));
            }
        }
    }

    private static void faceServer(Arguments arguments, UnixDomainSocketAddress via)
            throws IOException, InterruptedException {
        try (SocketChannel half = SocketChannel.open(via);
                SocketChannel server = SocketChannel.open()) {
            ByteBuffer port = ByteBuffer.allocate(Integer.BYTES);
            while (port.hasRemaining() && half.read(port) >= 0) {
                Thread.onSpinWait();
            }
            server.bind(new InetSocketAddress(address(arguments.get("from", "")), port.getInt(0)));
            server.connect(new InetSocketAddress(address(arguments.get("to", "")), (int) arguments.get("port", 0)));
            join(half, server, (byte) 0);
        }
    }

    private static InetAddress address(String host) throws IOException {
        return InetAddress.getAllByName(host)[0];
    }

    /** Carries both directions to their ends. */
    private static void join(SocketChannel one, SocketChannel other, byte mask) throws InterruptedException {
        Thread back = new Thread(() -> carry(other, one, (byte) 0), "back");
        back.start();
        carry(one, other, mask);
        back.join();
    }

    private static void carry(SocketChannel from, SocketChannel to, byte mask) {
        ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                for (int i = 0; i < buffer.limit(); i++) {
                    buffer.put(i, (byte) (buffer.get(i) ^ mask));
                }
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            new Console().say("FAILED " + e);
        }
    }
}
