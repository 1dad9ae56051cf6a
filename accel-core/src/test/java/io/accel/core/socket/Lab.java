// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.PortSpace;
import io.accel.core.handover.Senses;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.Connections;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import io.accel.testing.DirectoryContent;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** A listener on the loopback with a shared directory of its own, and clients of it, all in this process. */
final class Lab implements AutoCloseable {
    /** Both ends of a connection. */
    record Pair(StreamSocket client, StreamSocket server) {
        /**
         * Keeps both ends from going back to the kernel on their own. Otherwise a writer whose reader gets no processor for
         * long would do so, and the test would miss the fault that it waits for.
         */
        void fixDirections() {
            assertThat(client.outgoing().fix()).isNotNull();
            assertThat(server.outgoing().fix()).isNotNull();
        }

        void close() throws IOException {
            Lab.close(client);
            Lab.close(server);
        }
    }

    /** Closes one end as an adapter does. */
    static void close(StreamSocket socket) throws IOException {
        close(socket, false, false);
    }

    static void close(StreamSocket socket, boolean abort, boolean orderly) throws IOException {
        socket.close(() -> abort, orderly);
        SocketChannel channel = CHANNELS.remove(socket);
        if (channel != null) {
            channel.close();
        }
    }

    /** Of the sockets that are open. */
    private static final Map<StreamSocket, SocketChannel> CHANNELS = new ConcurrentHashMap<>();

    static SocketChannel channel(StreamSocket socket) {
        return CHANNELS.get(socket);
    }

    final Path dir;
    private final boolean isOwn;
    final Accelerator accelerator;
    final ServerSocketChannel kernel;
    StreamListener listener;
    final InetSocketAddress address;
    /** Null unless there is a rendezvous that never says a word. */
    private ServerSocketChannel mute;

    private final List<Closeable> open = new ArrayList<>();
    private final List<StreamSocket> opened = new ArrayList<>();
    /** Makes the anchors of connections that are opened from now on. */
    Function<SocketChannel, Anchor> anchors = ChannelAnchor::new;

    Lab(String preset, Map<String, String> settings) throws IOException {
        this(preset, settings, profile -> Fabrics.all(profile, PortSpace.TCP));
    }

    /** With fabrics of the test's own. */
    Lab(String preset, Map<String, String> settings, Function<Profile, Map<FabricName, Fabric>> fabrics)
            throws IOException {
        this(preset, settings, fabrics, createDirectory(), true);
    }

    /** A lab in the directory of another process's lab, which that process removes. */
    Lab(String preset, Map<String, String> settings, Function<Profile, Map<FabricName, Fabric>> fabrics, Path shared)
            throws IOException {
        this(preset, settings, fabrics, shared, false);
    }

    /** With what the test says of the machine's load. */
    Lab(String preset, Map<String, String> settings, Senses load) throws IOException {
        this(preset, settings, profile -> Fabrics.all(profile, PortSpace.TCP), createDirectory(), true, load);
    }

    private Lab(
            String preset,
            Map<String, String> settings,
            Function<Profile, Map<FabricName, Fabric>> fabrics,
            Path dir,
            boolean isOwn)
            throws IOException {
        this(preset, settings, fabrics, dir, isOwn, new LoadSenses());
    }

    private Lab(
            String preset,
            Map<String, String> settings,
            Function<Profile, Map<FabricName, Fabric>> fabrics,
            Path dir,
            boolean isOwn,
            Senses load)
            throws IOException {
        this.dir = dir;
        this.isOwn = isOwn;
        Map<String, String> all = new HashMap<>(settings);
        all.put("shm.dir", dir.toString());
        all.putIfAbsent("handover.after", "connect");
        Profile profile = Profile.load(preset, all);
        accelerator = new Accelerator(profile, fabrics.apply(profile), load);
        kernel = JdkAccess.kernelProvider().openServerSocketChannel();
        kernel.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
        address = (InetSocketAddress) kernel.getLocalAddress();
        listener = new StreamListener(accelerator);
        try {
            listener.bound(address);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private static Path createDirectory() throws IOException {
        Path parent = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("/tmp");
        return Files.createTempDirectory(
                parent,
                "accel-test-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Replaces the rendezvous with one that takes connections but never says a word. */
    void silence() throws Exception {
        Path rendezvous =
                content().stream().filter(Files::isDirectory).findFirst().orElseThrow();
        listener.close();
        Path unused = Files.createDirectories(rendezvous.getParent());
        Files.createDirectory(
                rendezvous, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        mute = JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX);
        mute.bind(UnixDomainSocketAddress.of(rendezvous.resolve("s")), 100);
        open.add(mute);
    }

    /** There is a rendezvous again that answers. */
    void speak() throws IOException {
        Path socket = ((UnixDomainSocketAddress) mute.getLocalAddress()).getPath();
        mute.close();
        Files.delete(socket);
        Files.delete(socket.getParent());
        listener = new StreamListener(accelerator);
        listener.bound(address);
    }

    /** A client that is connected as far as the kernel is concerned. */
    StreamSocket client() throws IOException {
        return client(address);
    }

    /** As {@link #client()}, of another process's listener. */
    StreamSocket client(InetSocketAddress listening) throws IOException {
        SocketChannel channel = JdkAccess.kernelProvider().openSocketChannel();
        open.add(channel);
        channel.connect(listening);
        StreamSocket client = new StreamSocket(accelerator, anchors.apply(channel));
        opened(client, channel);
        client.connected();
        return client;
    }

    StreamSocket accept() throws IOException {
        SocketChannel channel = kernel.accept();
        open.add(channel);
        StreamSocket accepted = listener.accepted(anchors.apply(channel));
        opened(accepted, channel);
        return accepted;
    }

    /** Like {@link #accept}, for a client that is known to ask for no link, so that nobody waits for one. */
    StreamSocket acceptUnasked() throws IOException {
        SocketChannel channel = kernel.accept();
        open.add(channel);
        StreamSocket accepted = new StreamSocket(accelerator, anchors.apply(channel));
        opened(accepted, channel);
        return accepted;
    }

    /** Takes an end that the test has made; this closes it. */
    void opened(StreamSocket socket, SocketChannel channel) {
        CHANNELS.put(socket, channel);
        opened.add(socket);
    }

    /** A connection whose ends both have a link, over which the bytes go from now on. */
    Pair connect() throws IOException {
        Pair pair = connectOnly();
        exchange(pair.client(), pair.server());
        exchange(pair.server(), pair.client());
        awaitSettled(pair.client());
        awaitSettled(pair.server());
        return pair;
    }

    /** A connection whose ends both have a link. */
    Pair connectOnly() throws IOException {
        Pair pair = new Pair(client(), accept());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (pair.client().attached() == null || pair.server().attached() == null) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not accelerated: " + pair.client().path());
            }
            Thread.onSpinWait();
        }
        return pair;
    }

    /** Waits until the threads that moved the connection have let go of it, and of the descriptors that they took for that. */
    static void awaitSettled(StreamSocket socket) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!socket.handover().isSettled()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not settled: " + socket.path());
            }
            Thread.onSpinWait();
        }
    }

    /** Waits until a sender of this process has had no room for so long. */
    static void awaitStall(Duration least) {
        await("a stall").until(() -> Connections.all().stream()
                .anyMatch(each -> each.sample().stalledNanos() >= least.toNanos()));
    }

    private void exchange(StreamSocket from, StreamSocket to) throws IOException {
        Streams.write(accelerator.waits(), from, ByteBuffer.wrap(new byte[] {1}));
        ByteBuffer one = ByteBuffer.allocate(1);
        Streams.read(accelerator.waits(), to, one);
        if (from.outgoing().link() == null || to.incoming().link() == null) {
            throw new AssertionError("the byte did not go over the link");
        }
    }

    /** The files in the shared directory. */
    List<Path> content() throws IOException {
        return DirectoryContent.ofListeners(dir);
    }

    /** How many mappings of this lab's files the process has. */
    long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(dir + "/")).count();
        }
    }

    /** How many descriptors the process has open. */
    static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    /** As {@link #descriptors}, of sockets alone: selectors come and go with the pools that have them. */
    static long sockets() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(Lab::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        kernel.close();
        for (StreamSocket each : opened) {
            close(each); // connections that a failed test has left open hold memory that the next test counts
        }
        for (Closeable each : open) {
            each.close();
        }
        if (!isOwn) {
            return;
        }
        DirectoryContent.remove(dir);
    }
}
