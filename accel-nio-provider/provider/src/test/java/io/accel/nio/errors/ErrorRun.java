// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Fabric;
import io.accel.nio.AccelSelectorProvider;
import io.accel.nio.GuisedProvider;
import io.accel.profile.Profile;
import io.accel.testing.DirectoryContent;
import io.accel.testing.InjectedErrors;
import io.accel.testing.InjectedErrors.Kind;
import io.accel.testing.SettledCount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Has each call fail that one kind of threads makes into links and fabrics: a server and clients in one process, over shared memory. Which calls
 * there are shows a run in which none fails. After each error the connection that was hit has gone on, or has told its program of the end; the
 * others go on; and in the end nothing is left.
 */
final class ErrorRun implements AutoCloseable {
    /** How many calls fail at most, one after the other. */
    private static final int FOR_GOOD = 1_000_000;
    /** Some calls are made only if threads meet in a certain order: so many runs go by until such a call has failed, or is given up. */
    private static final int SOME_RUNS = 5;
    /** How many runs go by until a call has come that must come. */
    private static final int MOST_RUNS = 50;

    /** The column of a socket's number in the kernel's table of Unix-domain sockets. */
    private static final int INODE = 6;

    private final Echo.Way way;
    private final Caller caller;
    private final Path dir;
    private final InjectedErrors errors = new InjectedErrors();
    private final AccelSelectorProvider provider;
    private final Echo server;
    private final Conversation.Beside beside;
    private final Set<Thread> daemons;
    private final long sockets;
    /** The calls that have failed. */
    final Set<String> hit = new TreeSet<>();

    ErrorRun(Echo.Way way, Caller caller) throws Exception {
        this.way = way;
        this.caller = caller;
        Path parent = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("/tmp");
        dir = Files.createTempDirectory(parent, "accel-test-");
        provider = GuisedProvider.open(
                Profile.load(
                        "low-cpu",
                        Map.of(
                                "shm.dir", dir.toString(),
                                "fabric.order", "shm",
                                "handover.after", "connect",
                                "handover.idle", "forever",
                                "ring.initial", "16KiB",
                                "ring.size", "64KiB")),
                fabric -> errors.over(Fabric.class, fabric));
        server = way.open(provider);
        beside = new Conversation.Beside(provider, server.address());
        beside.goOn();
        converse(); // which starts everything that stays
        beside.goOn();
        daemons = daemons();
        sockets = SettledCount.of(ErrorRun::sockets);
    }

    private static Set<Thread> daemons() {
        Set<Thread> all = new HashSet<>();
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().matches("accel-(handover|search|rendezvous|anchors|unparker)")
                    || each.getName().startsWith(Caller.GROUP_THREAD)) {
                all.add(each);
            }
        }
        return all;
    }

    /** How many sockets the process has open: selectors come and go with the threads that wait, and what observers ask comes late. */
    private static long sockets() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            Set<String> observers = new HashSet<>();
            for (String line : Files.readAllLines(Path.of("/proc/self/net/unix"))) {
                String[] columns = line.trim().split(" +", -1);
                if (line.contains("/accel-stats") && columns.length > INODE) {
                    observers.add("socket:[" + columns[INODE] + "]");
                }
            }
            return all.map(ErrorRun::target)
                    .filter(each -> each.startsWith("socket:") && !observers.contains(each))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    private long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(dir + "/")).count();
        }
    }

    private IOException converse() throws Exception {
        BooleanSupplier readsFirst = caller == Caller.HANDOVER ? () -> errors.where() != null : () -> true;
        return Conversation.with(provider, server.address(), readsFirst);
    }

    /** The calls that the threads make: at least these, if that depends on the order in which threads meet. */
    Set<String> calls(Set<String> least) throws Exception {
        Set<String> all = new TreeSet<>();
        for (int i = 0;
                i < 3 || (i < MOST_RUNS && !all.containsAll(least));
                i++) { // each run makes a few that others do not
            errors.aimAtNew();
            errors.watch(caller::isCurrent);
            IOException failure = converse();
            onlyTheOtherIsLeft(); // the server's end comes behind the client's
            all.addAll(errors.met());
            errors.disarm();
            if (failure != null) {
                throw new AssertionError("without an error, in " + this, failure);
            }
        }
        return all;
    }

    /** Has a call fail, once and for good. */
    void fail(String call, Kind kind, boolean certainly) throws Exception {
        for (int runs = 0; runs < (certainly ? MOST_RUNS : SOME_RUNS) && !hit.contains(call); runs++) {
            fail(call, kind, 1);
        }
        if (kind != Kind.STACK) { // which nobody tells from MEMORY
            fail(call, kind, FOR_GOOD);
        }
    }

    private void fail(String call, Kind kind, int times) throws Exception {
        String what = kind + " at " + call + (times == 1 ? "" : " for good") + ", in " + this;
        int given = server.given.get();
        errors.aimAtNew();
        errors.arm(caller::isCurrent, call::equals, kind, 1, times);
        try {
            IOException failure = converse();
            if (failure != null && errors.where() == null) {
                throw new AssertionError("failed without an error", failure);
            }
        } catch (Throwable e) {
            if (!(e instanceof AssertionError && server.given.get() > given)) { // else the server has ended it
                server.surprises.forEach(e::addSuppressed);
                addFirst(e);
                throw new AssertionError(
                        what + ": " + e + ", and the server met " + server.surprises + "\n" + threads(), e);
            }
        }
        if (errors.where() != null) {
            hit.add(call);
        }
        errors.disarm();
        try {
            beside.goOn();
            if (times != 1 && converse() != null) {
                throw new AssertionError("a new connection fails");
            }
            onlyTheOtherIsLeft();
            List<String> left = new ArrayList<>(errors.misuse());
            server.surprises.forEach(each -> left.add(each.toString()));
            for (Thread each : daemons) {
                if (!each.isAlive()) {
                    left.add(each.getName() + " has ended");
                }
            }
            if (!left.isEmpty()) {
                throw new AssertionError(left.toString(), server.surprises.peek());
            }
        } catch (Throwable e) {
            addFirst(e);
            throw new AssertionError("after " + what + ": " + e + "\n" + threads(), e);
        }
    }

    /** Adds where the first error came from. */
    private void addFirst(Throwable e) {
        Throwable first = errors.first();
        if (first != null) {
            e.addSuppressed(first);
        }
    }

    private static String threads() {
        StringBuilder all = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getName().matches("accel-.*|background|a server's|" + Caller.GROUP_THREAD + ".*")) {
                all.append(thread).append('\n');
                for (int i = 0; i < Math.min(stack.length, 12); i++) {
                    all.append("    ").append(stack[i]).append('\n');
                }
            }
        });
        return all.toString();
    }

    /** Waits until nothing is left of the connections that were hit. */
    private void onlyTheOtherIsLeft() {
        await("the end of " + this)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(20, TimeUnit.SECONDS)
                .untilAsserted(() -> {
                    String left = "links " + errors.linksOut() + ", mappings " + mappings() + ", sockets "
                            + (sockets() - sockets) + " more";
                    if (!left.equals("links 2, mappings 2, sockets 0 more")) {
                        throw new AssertionError(left);
                    }
                });
    }

    @Override
    public String toString() {
        return caller + " of " + way;
    }

    @Override
    public void close() throws IOException {
        errors.disarm();
        beside.close();
        server.close();
        await("the end of everything in " + this).atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
            String left = "links " + errors.linksOut() + ", mappings " + mappings() + ", files "
                    + DirectoryContent.ofListeners(dir).size();
            if (!left.equals("links 0, mappings 0, files 0")) {
                throw new AssertionError(left);
            }
        });
        DirectoryContent.remove(dir);
    }
}
