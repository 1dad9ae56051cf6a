package io.accel.nio.fuzz;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a program has: two connections, two selectors. One thread, apart from the tasks that it starts. */
final class World implements Closeable {
    static final int CONNECTIONS = 2;
    static final int SELECTORS = 2;
    /** How many bytes a program leaves unread in one direction, at most: less than a ring, or the kernel's buffers, hold. */
    static final int ROOM = 20 << 10;
    /** How long what must happen may take, in nanoseconds. */
    static final long LIMIT_NANOS = 4_000_000_000L;

    private static final long REST_NANOS = 1_000_000L;
    private static final Pattern PORT = Pattern.compile("(?<=:|port=)\\d{4,5}\\b");
    private static final Pattern CHANNEL_CLASS = Pattern.compile(
            "(?:sun\\.nio\\.ch|io\\.accel\\.nio)\\.(?:Accel)?(SocketChannel|ServerSocketChannel)(?:Impl)?");

    private final Setting setting;
    private final List<Connection> connections = new ArrayList<>();
    private final Selector[] selectors = new Selector[SELECTORS];
    private final Map<Integer, String> ports = new TreeMap<>();
    private final List<Task> tasks = new ArrayList<>();

    World(Setting setting) throws IOException {
        this.setting = setting;
        for (int i = 0; i < CONNECTIONS; i++) {
            connections.add(new Connection(i, setting));
            ports.put(connections.get(i).address().getPort(), "L" + i);
        }
    }

    Setting setting() {
        return setting;
    }

    Connection connection(int index) {
        return connections.get(index % CONNECTIONS);
    }

    List<Connection> connections() {
        return connections;
    }

    /** Clients and servers in turn. */
    End end(int index) {
        Connection connection = connection(index / 2);
        return index % 2 == 0 ? connection.client() : connection.server();
    }

    Selector selector(int index) throws IOException {
        if (selectors[index] == null) {
            selectors[index] = setting.openSelector();
        }
        return selectors[index];
    }

    /** What can be registered: the ends, and then the listeners; null if it is not there. */
    SelectableChannel selectable(int index) {
        return index < 2 * CONNECTIONS
                ? end(index).channel()
                : connection(index - 2 * CONNECTIONS).listener();
    }

    static String name(int selectable) {
        return selectable < 2 * CONNECTIONS
                ? (selectable % 2 == 0 ? "c" : "s") + selectable / 2
                : "l" + (selectable - 2 * CONNECTIONS);
    }

    Task start(String method, Callable<String> body) {
        Task task = Task.start(method, body);
        tasks.add(task);
        return task;
    }

    /** After something has ended: the other end hears of it a moment later. */
    static void rest() {
        LockSupport.parkNanos(REST_NANOS);
    }

    static boolean isOver(long startNanos) {
        return System.nanoTime() - startNanos > LIMIT_NANOS;
    }

    /** The keys that were selected, and what for. */
    static String ready(Selector selector) {
        Map<String, String> ready = new TreeMap<>();
        try {
            for (SelectionKey key : selector.selectedKeys()) {
                ready.put(String.valueOf(key.attachment()), key.isValid() ? ops(key.readyOps()) : "cancelled");
            }
        } catch (ClosedSelectorException e) {
            return "closed";
        }
        return ready.toString();
    }

    static String ops(int ops) {
        return ((ops & SelectionKey.OP_READ) != 0 ? "R" : "")
                + ((ops & SelectionKey.OP_WRITE) != 0 ? "W" : "")
                + ((ops & SelectionKey.OP_CONNECT) != 0 ? "C" : "")
                + ((ops & SelectionKey.OP_ACCEPT) != 0 ? "A" : "");
    }

    /** Says the same of the same thing on any provider, and with any ports. */
    String plain(Object said) {
        for (Connection connection : connections) {
            note(connection.client());
        }
        Matcher port = PORT.matcher(CHANNEL_CLASS.matcher(String.valueOf(said)).replaceAll("$1"));
        return port.replaceAll(found -> ports.getOrDefault(Integer.valueOf(found.group()), "other"));
    }

    private void note(End client) {
        try {
            if (client.channel().isOpen() && client.channel().getLocalAddress() instanceof InetSocketAddress local) {
                ports.put(local.getPort(), client.name());
            }
        } catch (ClosedChannelException e) {
            return; // by a task that goes on
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String thrown(Throwable e) {
        // What is wrong with an argument the JDK mostly leaves to be guessed.
        String message = e instanceof IllegalArgumentException ? null : e.getMessage();
        return "threw " + e.getClass().getName() + (message == null ? "" : ": " + plain(message));
    }

    /** Ends everything, also what hangs. */
    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.client().channel().close();
            if (connection.server().channel() != null) {
                connection.server().channel().close();
            }
            connection.listener().close();
        }
        for (Selector selector : selectors) {
            if (selector != null) {
                selector.close();
            }
        }
        for (Task task : tasks) {
            task.end();
        }
    }
}
