// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ResourceBundle;

/**
 * A logging back end that sends its messages over the network. It connects as soon as somebody asks for a logger, and so before the
 * code that makes its channel has one.
 */
public final class LoggerOverChannels extends System.LoggerFinder {
    @Override
    public System.Logger getLogger(String name, Module module) {
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel channel = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept();
                Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            SelectionKey unused = channel.register(selector, SelectionKey.OP_WRITE);
            selector.select();
            return new Terse(accepted.isConnected() ? name : "none");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Terse(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String text, Throwable thrown) {
            System.out.println("logged for " + name);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            log(level, bundle, format, (Throwable) null);
        }
    }
}
