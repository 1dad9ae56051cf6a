package io.accel.core.socket;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.PortSpace;
import io.accel.core.jdk.JdkAccess;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

/** A listener on the loopback with a shared directory of its own, and clients of it, all in this process. */
final class Lab implements AutoCloseable {
    /** Both ends of a connection. */
    record Pair(StreamSocket client, StreamSocket server) {
        void close() throws IOException {
            client.close(false, false);
            server.close(false, false);
            if (client.kernel() != null) {
                client.kernel().close();
            }
        }
    }

    final Path dir;
    final Accelerator accelerator;
    final ServerSocketChannel kernel;
    final StreamListener listener;
    final InetSocketAddress address;
    private final List<Closeable> open = new ArrayList<>();

    Lab(String preset, Map<String, String> settings) throws IOException {
        this(preset, settings, profile -> Accelerator.fabrics(profile, PortSpace.TCP));
    }

    /** With fabrics of the test's own. */
    Lab(String preset, Map<String, String> settings, Function<Profile, Map<FabricName, Fabric>> fabrics)
            throws IOException {
        Path parent = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("/tmp");
        dir = Files.createTempDirectory(
                parent,
                "accel-test-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Map<String, String> all = new HashMap<>(settings);
        all.put("shm.dir", dir.toString());
        Profile profile = Profile.load(preset, all);
        accelerator = new Accelerator(profile, fabrics.apply(profile));
        kernel = JdkAccess.kernelProvider().openServerSocketChannel();
        kernel.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
        kernel.configureBlocking(false);
        address = (InetSocketAddress) kernel.getLocalAddress();
        listener = new StreamListener(accelerator, kernel);
        try {
            listener.bound(address, 50);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** The rendezvous is taken over by one that takes connections but never says a word. */
    void silence() throws Exception {
        Path rendezvous =
                content().stream().filter(Files::isDirectory).findFirst().orElseThrow();
        listener.close();
        Files.createDirectory(
                rendezvous, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        ServerSocketChannel mute = JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX);
        mute.bind(UnixDomainSocketAddress.of(rendezvous.resolve("s")), 100);
        open.add(mute);
    }

    StreamSocket socket(boolean blocking) throws IOException {
        SocketChannel channel = JdkAccess.kernelProvider().openSocketChannel();
        channel.configureBlocking(blocking);
        open.add(channel);
        return new StreamSocket(accelerator, channel);
    }

    /** Begins to connect as a program in either mode does. */
    boolean begin(StreamSocket socket) throws IOException {
        return socket.connect(address, source -> {
            if (socket.kernel().getLocalAddress() == null) {
                socket.kernel().bind(new InetSocketAddress(source, 0));
            }
            return (InetSocketAddress) socket.kernel().getLocalAddress();
        });
    }

    /** An accelerated connection. */
    Pair connect() throws IOException {
        StreamSocket client =
                new StreamSocket(accelerator, JdkAccess.kernelProvider().openSocketChannel());
        if (!begin(client)) {
            throw new AssertionError("not accelerated: " + client.path());
        }
        while (!client.finishConnect()) {
            if (client.takeFallback()) {
                throw new AssertionError("fell back: " + client.path());
            }
            accelerator.waits().await(client, SelectionKey.OP_CONNECT, TimeUnit.SECONDS.toNanos(10));
        }
        return new Pair(client, accept());
    }

    StreamSocket accept() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (System.nanoTime() - end < 0) {
            StreamSocket accepted = listener.accept();
            if (accepted != null) {
                return accepted;
            }
            accelerator.waits().await(listener, SelectionKey.OP_ACCEPT, TimeUnit.SECONDS.toNanos(1));
        }
        throw new AssertionError("no connection came");
    }

    /** What lies in the shared directory. */
    List<Path> content() throws IOException {
        try (Stream<Path> files = Files.walk(dir)) {
            return files.filter(file -> !file.equals(dir)).toList();
        }
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

    @Override
    public void close() throws IOException {
        listener.close();
        kernel.close();
        for (Closeable each : open) {
            each.close();
        }
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
