// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;

/**
 * A connection of the JDK's own channels, whichever path the run is on. It says what the kernel takes on this machine while nobody
 * reads: a program must be able to write as much on Accel, or it would wait where it does not wait without Accel.
 */
public final class KernelPair implements AutoCloseable {
    /**
     * In bytes. The kernel counts packets, which on loopback have up to 64 KiB, and lets a send buffer grow with the acknowledgements.
     * Of a hundred of its own connections on a busy machine, one took 3,932,160 bytes and another 4,291,584.
     */
    private static final int TOLERANCE = 8 * 64 * 1024;

    private final SocketChannel client;
    private final SocketChannel server;

    private KernelPair(SocketChannel client, SocketChannel server) {
        this.client = client;
        this.server = server;
    }

    /**
     * A new connection.
     *
     * @param buffers the size to ask for all its buffers, in bytes; 0 to leave them as the system makes them
     */
    public static KernelPair open(int buffers) throws IOException {
        SelectorProvider jdk = JdkAccess.kernelProvider();
        try (ServerSocketChannel listener = jdk.openServerSocketChannel()) {
            enlarge(listener, buffers).bind(ContractSupport.anyPort());
            SocketChannel client = enlarge(jdk.openSocketChannel(), buffers);
            client.connect(listener.getLocalAddress());
            return new KernelPair(client, enlarge(listener.accept(), buffers));
        }
    }

    /** Asks for buffers of this size, which the kernel cuts to its own limits; for none if it is 0. */
    public static <C extends NetworkChannel> C enlarge(C channel, int buffers) throws IOException {
        for (SocketOption<Integer> each : List.of(StandardSocketOptions.SO_RCVBUF, StandardSocketOptions.SO_SNDBUF)) {
            if (buffers > 0 && channel.supportedOptions().contains(each)) {
                channel.setOption(each, buffers);
            }
        }
        return channel;
    }

    /** The send buffer of the end that connected, in bytes, as {@link #open} sets it. */
    public static int sendBuffer(int asked) throws IOException {
        try (KernelPair pair = open(asked)) {
            return pair.client.getOption(StandardSocketOptions.SO_SNDBUF);
        }
    }

    /** How many bytes one end writes, and another connection must take at least. */
    public static int takes(int buffers) throws IOException {
        try (KernelPair pair = open(buffers)) {
            return atLeast(Bytes.fill(pair.client));
        }
    }

    /** Like {@link #takes}, for bytes to a peer that has shut down its input after the first. */
    public static int takesForDeaf(int buffers) throws IOException {
        try (KernelPair pair = open(buffers)) {
            Bytes.write(pair.client, new byte[1]);
            byte[] unused = Bytes.read(pair.server, 1);
            pair.server.shutdownInput();
            return atLeast(Bytes.fill(pair.client));
        }
    }

    /**
     * How many bytes each end may write before either reads.
     *
     * @param most the most that is asked for @return
     * the bytes that the kernel takes, or most if that is less; a whole number of pieces of so many bytes
     */
    public static int exchanges(int most, int piece, int buffers) throws Exception {
        try (KernelPair pair = open(buffers)) {
            Task<Integer> back = Task.start(() -> Bytes.fill(pair.server));
            int there = Bytes.fill(pair.client);
            return Math.min(most, atLeast(Math.min(there, back.result()))) / piece * piece;
        }
    }

    private static int atLeast(int taken) {
        return taken - TOLERANCE;
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
    }
}
