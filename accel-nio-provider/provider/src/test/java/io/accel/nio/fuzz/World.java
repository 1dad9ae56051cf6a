// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The objects of a program: two connections, datagram channels, two selectors. One thread, apart from the tasks that it starts. */
final class World implements Closeable {
    static final int CONNECTIONS = 2;
    static final int SELECTORS = 2;
    static final int DATAGRAM_ENDS = 3;
    /** Among what can be registered. */
    static final int FIRST_DATAGRAM_END = 3 * CONNECTIONS;

    /** How many bytes a program leaves unread in one direction, at most: less than a ring, or the kernel's buffers, hold. */
    static final int ROOM = 20 << 10;
    /** How long an event that must happen may take, in nanoseconds. */
    static final long LIMIT_NANOS = 4_000_000_000L;

    private static final long REST_NANOS = 1_000_000L;
    private static final Pattern PORT = Pattern.compile("(?<=:|port=)\\d{4,5}\\b");
    private static final Pattern CHANNEL_CLASS = Pattern.compile(
            "(?:sun\\.nio\\.ch|io\\.accel\\.nio)\\.(?:Accel)?(SocketChannel|ServerSocketChannel|DatagramChannel)(?:Impl)?");

    private final Setting setting;
    /** The directory of Unix-domain sockets; null if the setting has none. */
    private final Path sockets;

    private final List<Connection> connections = new ArrayList<>();
    private final Selector[] selectors = new Selector[SELECTORS];
    private final List<DatagramEnd> datagramEnds = new ArrayList<>();
    private final InetSocketAddress nobody;
    private final Set<InetSocketAddress> closedRegistered = new HashSet<>();
    private final Map<Integer, String> ports = new TreeMap<>();
    /** Whether one port had two names: a TCP and a UDP socket can have the same port, and a free port is given to another socket. */
    private boolean hasSharedPort;

    private final List<Task> tasks = new ArrayList<>();
    private int datagrams;
    private int warmed;
    private int moved;

    World(Setting setting) throws IOException {
        this.setting = setting;
        this.sockets = setting.isUnix() ? Files.createTempDirectory("fuzz") : null;
        for (int i = 0; i < CONNECTIONS; i++) {
            Connection connection = new Connection(i, setting, sockets);
            connections.add(connection);
            if (connection.address() instanceof InetSocketAddress internet) {
                name(internet.getPort(), "L" + i);
            }
        }
        for (int i = 0; i < DATAGRAM_ENDS; i++) {
            datagramEnds.add(new DatagramEnd(i, i == 1 ? setting.server() : setting.client()));
        }
        try (DatagramChannel gone = setting.client().openDatagramChannel()) {
            nobody = (InetSocketAddress) gone.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .getLocalAddress();
        }
        name(nobody.getPort(), "nobody");
    }

    private void name(int port, String name) {
        String before = ports.put(port, name);
        hasSharedPort |= before != null && !before.equals(name);
    }

    /** Whether words about a port can be about another port than was meant. */
    boolean hasSharedPort() {
        return hasSharedPort;
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

    DatagramEnd datagramEnd(int index) {
        return datagramEnds.get(index % DATAGRAM_ENDS);
    }

    List<DatagramEnd> datagramEnds() {
        return datagramEnds;
    }

    /** The channel that gets datagrams to this address; null if there is none. */
    DatagramEnd datagramEndAt(InetSocketAddress target) throws IOException {
        for (DatagramEnd end : datagramEnds) {
            if (target != null && target.equals(end.address())) {
                return end;
            }
        }
        return null;
    }

    /**
     * A datagram channel is about to be closed. If it is registered, the JDK's channel keeps its port until its selector selects
     * next, and Accel's may not: see docs/LIMITS.md.
     */
    void closing(DatagramEnd end) throws IOException {
        if (end.isOpen() && end.channel().isRegistered() && end.address() != null) {
            closedRegistered.add(end.address());
        }
    }

    /** Whether it is unknown if anybody has a port. */
    boolean isUnsure(InetSocketAddress target) throws IOException {
        return closedRegistered.contains(target) && datagramEndAt(target) == null;
    }

    /**
     * The destination of a datagram: the datagram channels, and an address where nobody is, which also stands for channels
     * without a port.
     */
    InetSocketAddress target(int index) throws IOException {
        InetSocketAddress address = index < DATAGRAM_ENDS ? datagramEnd(index).address() : null;
        return address == null ? nobody : address;
    }

    /** The next datagram, which is unlike all others of its size. */
    byte[] datagram(int size) {
        byte[] bytes = new byte[size];
        new Random(datagrams++).nextBytes(bytes);
        return bytes;
    }

    /** Two datagram channels have exchanged datagrams for long enough to have a faster path. */
    void warmed(boolean hasMoved) {
        warmed++;
        moved += hasMoved ? 1 : 0;
    }

    int warmed() {
        return warmed;
    }

    int moved() {
        return moved;
    }

    /** The channels that can be registered: the ends, then the listeners, and the datagram channels; null for one that does not exist. */
    SelectableChannel selectable(int index) {
        if (index >= FIRST_DATAGRAM_END) {
            return datagramEnd(index - FIRST_DATAGRAM_END).channel();
        }
        return index < 2 * CONNECTIONS
                ? end(index).channel()
                : connection(index - 2 * CONNECTIONS).listener();
    }

    static String name(int selectable) {
        if (selectable >= FIRST_DATAGRAM_END) {
            return "d" + (selectable - FIRST_DATAGRAM_END);
        }
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
        pause(REST_NANOS);
    }

    /** Between two looks of a step, which says what it saw when its limit is over, where a test's wait would fail. */
    static void pause(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    static boolean isOver(long startNanos) {
        return System.nanoTime() - startNanos > LIMIT_NANOS;
    }

    /** The selected keys, and what they were selected for. */
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

    /** Describes the same object in the same words on any provider, and with any ports. */
    String plain(Object said) {
        for (Connection connection : connections) {
            note(connection.client().channel(), connection.client().name());
        }
        for (DatagramEnd end : datagramEnds) {
            note(end.channel(), end.name());
        }
        String text = String.valueOf(said);
        String anywhere = sockets == null ? text : text.replace(sockets.toString(), "sockets");
        Matcher port = PORT.matcher(CHANNEL_CLASS.matcher(anywhere).replaceAll("$1"));
        return port.replaceAll(found -> ports.getOrDefault(Integer.valueOf(found.group()), "other"));
    }

    private void note(NetworkChannel channel, String name) {
        try {
            if (channel != null && channel.isOpen() && channel.getLocalAddress() instanceof InetSocketAddress local) {
                name(local.getPort(), name);
            }
        } catch (ClosedChannelException e) {
            return; // by a task that goes on
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String thrown(Throwable e) {
        // The JDK mostly does not say what is wrong with an argument.
        String message = e instanceof IllegalArgumentException ? null : e.getMessage();
        return "threw " + e.getClass().getName() + (message == null ? "" : ": " + plain(message));
    }

    /** Ends everything, even operations that hang. */
    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.client().channel().close();
            if (connection.server().channel() != null) {
                connection.server().channel().close();
            }
            connection.listener().close();
        }
        for (DatagramEnd end : datagramEnds) {
            if (end.channel() != null) {
                end.channel().close();
            }
        }
        for (Selector selector : selectors) {
            if (selector != null) {
                selector.close();
            }
        }
        for (Task task : tasks) {
            task.end();
        }
        if (sockets != null) {
            for (Connection connection : connections) {
                Files.deleteIfExists(((UnixDomainSocketAddress) connection.address()).getPath());
            }
            Files.delete(sockets);
        }
    }
}
