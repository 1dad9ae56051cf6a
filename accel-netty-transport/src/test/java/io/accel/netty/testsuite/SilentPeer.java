// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A port on loopback that never answers, because its accept queue is full. It replaces the unreachable internet host of
 * Netty's tests of connect timeouts. Lives as long as the JVM.
 */
final class SilentPeer {
    /** More than any queue of the backlog asked for takes. */
    private static final int FILLERS = 8;

    private static final List<SocketChannel> FILLING = new ArrayList<>();
    private static ServerSocket listener;

    private SilentPeer() {}

    static synchronized void open() {
        if (listener != null) {
            return;
        }
        try {
            listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            for (int i = 0; i < FILLERS; i++) {
                SocketChannel filler = SocketChannel.open();
                filler.configureBlocking(false);
                filler.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                filler.connect(new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()));
                FILLING.add(filler);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.setProperty(
                "io.netty.testsuite.badHost", listener.getInetAddress().getHostAddress());
        System.setProperty("io.netty.testsuite.badPort", String.valueOf(listener.getLocalPort()));
    }
}
