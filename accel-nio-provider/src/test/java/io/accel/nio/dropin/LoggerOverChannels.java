package io.accel.nio.dropin;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ResourceBundle;

/** A logging back end that sends what it is told over the network: it opens channels as soon as somebody asks for a logger. */
public final class LoggerOverChannels extends System.LoggerFinder {
    @Override
    public System.Logger getLogger(String name, Module module) {
        try (SocketChannel channel = SocketChannel.open();
                Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, 0);
            return new Silent(name);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Silent(String name) implements System.Logger {
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
            System.out.println("logged by " + getClass().getEnclosingClass().getSimpleName());
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            log(level, bundle, format, (Throwable) null);
        }
    }
}
