// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import io.accel.samples.perf.End;
import io.accel.samples.perf.Place;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Five programs: a server and a client that live throughout, and must not lose a byte; a client of the same server that is
 * killed again and again; and a server that is killed again and again, with its client. Where devices are removed, and cables pulled, too,
 * there is also a client of the first server whose connections last. In the end the programs that lived must
 * hold no more than after the first part. Used by one thread.
 */
final class Soak implements AutoCloseable {
    private static final int LEAST_LIFE_MILLIS = 300;
    private static final int MOST_LIFE_MILLIS = 1500;
    private static final Duration LONGEST_WARM_UP = Duration.ofMinutes(2);
    private static final Duration REPORT = Duration.ofSeconds(10);
    private static final Duration LONGEST_DEAD = Duration.ofSeconds(150);
    private static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(20);
    /** A connection that is refused a link asks again after a minute at most. */
    private static final Duration LONGEST_RETURN = Duration.ofMinutes(2);
    /** A time in which any kind of connection is seen to leave the kernel. */
    private static final Duration LONG = Duration.ofMinutes(1);

    /** A user's listeners have their places in a directory of the shared one. */
    private static final int DEPTH_OF_PLACES = 2;
    /** In the names of the places of listeners of Unix-domain sockets. */
    private static final String OF_UNIX = "-unix-";

    private final Function<End, List<String>> jvm;
    private final Place place;
    private final String address;
    private final Path shared;
    private final Over over;
    /** Connections that were seen to be over shared memory, summed over all looks. */
    private long ringsSeen;

    private final SplittableRandom random;
    private final Consumer<String> out;
    private final List<String> lost = new ArrayList<>();
    private final List<Program> running = new ArrayList<>();
    private final Program server;
    private final Program client;
    private final Program clientOfVictim;
    /** The client of the server whose connections last; null where devices and cables are left alone. */
    private final Program lastingClient;
    /** As {@link #lastingClient}. */
    private final DeviceFaults faults;

    private Program victimServer;
    private Program victimClient;
    /** The path of the connections' bytes once they have been handed over. */
    enum Over {
        /** Without Accel. */
        KERNEL(Duration.ofSeconds(15)),
        SHM(Duration.ofSeconds(15)),
        /** A closed connection whose peer takes nothing more keeps its link for {@code rdma.linger}, a minute. */
        RDMA(Duration.ofSeconds(90));

        /** The time in which files and memory of the dead are given back. */
        private final Duration settle;

        Over(Duration settle) {
            this.settle = settle;
        }
    }

    /**
     * The times at which listeners were killed, by a part of their places' names: processes that start more than a minute later remove
     * the places.
     */
    private final Map<String, Long> dead = new HashMap<>();

    /** The directory of the servers' Unix-domain sockets; null if they have none. */
    private final Path sockets;
    /** The places of such sockets of the server that lives throughout. */
    private final List<String> lastingPlaces;
    /** How many servers were started. */
    private int servers;
    /** Those of {@link #ringsSeen} on Unix-domain sockets. */
    private long unixRingsSeen;

    /** Whether it runs so long that each kind of connection must be seen to leave the kernel. */
    private boolean isLong;

    private int kills;
    /** When threads were last shown because a conversation lasted long; 0 before. */
    private long shownAt;

    private long last = -1;
    private long lastHandovers = -1;
    /** The time at which the client's handovers were last seen to increase. */
    private long handedOver;

    /**
     * @param jvm how to start a JVM with the programs of an end in its class path, without their main class
     * @param place the place of each end
     * @param shared the directory for files that the programs of this host share
     * @param sockets the directory of servers' Unix-domain sockets; null for none
     * @param over the path that their connections should take
     * @param devices whether to remove devices and pull cables, too
     */
    Soak(
            Function<End, List<String>> jvm,
            Place place,
            Path shared,
            Path sockets,
            Over over,
            boolean devices,
            long seed,
            Consumer<String> out)
            throws IOException, InterruptedException {
        this.jvm = jvm;
        this.place = place;
        this.address = place.address() != null
                ? place.address()
                : InetAddress.getLoopbackAddress().getHostAddress();
        this.shared = shared;
        this.sockets = sockets;
        this.over = over;
        this.random = new SplittableRandom(seed);
        this.out = out;
        this.faults = devices ? new DeviceFaults(place, random.split()) : null;
        try {
            server = startServer("server");
            lastingPlaces = placesOfUnixSockets();
            client = startClient("client", true, server);
            victimServer = startServer("server that is killed");
            clientOfVictim = startClient("client of it", false, victimServer);
            lastingClient = devices
                    ? start(End.CLIENT, "client whose connections last", "lasting", address, seed(), server.ports())
                    : null;
            victimClient = startVictimClient();
        } catch (IOException | InterruptedException e) {
            close();
            throw e;
        }
    }

    private String seed() {
        return Long.toString(random.nextLong());
    }

    private Program start(End end, String name, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(jvm.apply(end));
        if (faults != null) {
            command.add("-D" + SoakPeer.LINKS_BREAK + "=true");
        }
        command.add(SoakPeer.class.getName());
        command.addAll(List.of(arguments));
        Program program = new Program(place, end, name, command);
        running.add(program);
        return program;
    }

    private Program startServer(String name) throws IOException, InterruptedException {
        return sockets == null
                ? start(End.SERVER, name, "server", address)
                : start(
                        End.SERVER,
                        name,
                        "server",
                        address,
                        sockets.resolve("s" + servers++).toString());
    }

    private Program startClient(String name, boolean resident, Program of) throws IOException, InterruptedException {
        return start(End.CLIENT, name, "client", address, seed(), Boolean.toString(resident), of.ports());
    }

    private Program startVictimClient() throws IOException, InterruptedException {
        return startClient("client that is killed", false, server);
    }

    /** Runs for {@code time} and returns a sentence for each loss. */
    List<String> run(Duration time) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        isLong = time.compareTo(LONG) >= 0;
        long quarter = time.dividedBy(4).toNanos();
        boolean warm = quarter >= LONGEST_WARM_UP.toNanos();
        disturb(begin + (warm ? LONGEST_WARM_UP.toNanos() : quarter));
        if (haveFaultsFailed()) {
            return lost;
        }
        quieten();
        Map<Program, Held> before = held();
        List<Path> files = files();
        show("Held at the start, which is after the first part, with nothing under way:", before);
        resume();
        disturb(begin + time.toNanos());
        if (haveFaultsFailed()) {
            return lost;
        }
        quieten();
        compare(before, files, warm);
        total();
        return lost;
    }

    private List<Program> lasting() {
        return lastingClient == null
                ? List.of(server, client, clientOfVictim)
                : List.of(server, client, clientOfVictim, lastingClient);
    }

    private void disturb(long until) throws IOException, InterruptedException {
        if (faults == null) {
            kill(until);
            return;
        }
        faults.begin();
        try {
            kill(until);
        } finally {
            faults.end();
        }
        if (faults.failure() == null && lost.isEmpty()) {
            checkReturn();
        }
    }

    private void kill(long until) throws IOException, InterruptedException {
        long report = System.nanoTime() + REPORT.toNanos();
        while (System.nanoTime() < until && lost.isEmpty() && (faults == null || faults.failure() == null)) {
            Thread.sleep(random.nextInt(LEAST_LIFE_MILLIS, MOST_LIFE_MILLIS));
            if (random.nextBoolean()) {
                killServer();
            } else {
                end(victimClient);
                victimClient = startVictimClient();
            }
            kills++;
            look();
            if (System.nanoTime() > report) {
                report += REPORT.toNanos();
                out.accept(kills + " killed; the client: " + client.status());
                if (faults != null) {
                    out.accept(faults + "; the client whose connections last: " + lastingClient.status());
                }
            }
        }
    }

    /** Whether a fault could not be mended, which is said once, with all that may be the cause. */
    private boolean haveFaultsFailed() throws IOException, InterruptedException {
        if (faults == null || faults.failure() == null) {
            return false;
        }
        StringBuilder said =
                new StringBuilder("a device or the cable did not go and come back: ").append(faults.failure());
        for (Program program : lasting()) {
            said.append("\nThe threads of the ")
                    .append(program.name())
                    .append(":\n")
                    .append(program.threads());
        }
        lost.add(said.toString());
        return true;
    }

    /** Takes the device away once more, and waits until bytes of the lasting connections go over RDMA again. */
    private void checkReturn() throws IOException, InterruptedException {
        Map<String, String> before = lastingClient.status();
        faults.removeOnce();
        if (faults.failure() != null) {
            return;
        }
        long back = System.nanoTime();
        Map<String, String> gone = lastingClient.status();
        Map<String, String> now = gone;
        while (grown(now, gone, "rdmabytes") == 0) {
            if (System.nanoTime() - back > LONGEST_RETURN.toNanos()) {
                lost.add("no connection came back to RDMA within " + LONGEST_RETURN.toSeconds()
                        + " s after the device; those that last were " + before + " and are " + now + ". "
                        + threadsOfBothEnds(lastingClient));
                return;
            }
            Thread.sleep(100);
            now = lastingClient.status();
        }
        out.accept(String.format(
                Locale.ROOT,
                "%d lasting connections lost their link with the device, and bytes went over RDMA again %.1f s after the device had come"
                        + " back",
                grown(gone, before, "linkslost"),
                (System.nanoTime() - back) / 1e9));
    }

    private static long grown(Map<String, String> now, Map<String, String> before, String key) {
        return Program.number(now, key) - Program.number(before, key);
    }

    private void killServer() throws IOException, InterruptedException {
        noteDeathOfServer();
        end(victimServer);
        victimServer = startServer("server that is killed");
        clientOfVictim.talkTo(victimServer);
    }

    /** Records the places of the server that is about to be killed, or just was. */
    private void noteDeathOfServer() throws IOException {
        long now = System.nanoTime();
        victimServer.portNumbers().forEach(port -> dead.put("-" + port + "~", now));
        for (String place : placesOfUnixSockets()) {
            if (!lastingPlaces.contains(place)) {
                dead.putIfAbsent(place, now);
            }
        }
    }

    private List<String> placesOfUnixSockets() throws IOException {
        try (Stream<Path> places = Files.walk(shared, DEPTH_OF_PLACES)) {
            return places.map(place -> place.getFileName().toString())
                    .filter(place -> place.contains(OF_UNIX))
                    .toList();
        }
    }

    private void end(Program program) throws IOException, InterruptedException {
        program.kill();
        program.close();
        running.remove(program);
    }

    private void look() throws IOException, InterruptedException {
        for (Program program : lasting()) {
            Map<String, String> status = program.status();
            long oldest = Program.number(status, "oldest");
            if (oldest > Wire.PATIENCE_MILLIS / 2) {
                lookForHang(program, oldest);
            }
            if (Program.number(status, "lost") > 0) {
                lost.add("the " + program.name() + " lost something:\n" + program.complaints() + "\nIts server said:\n"
                        + serverOf(program).complaints());
            }
            if (oldest > 2L * Wire.PATIENCE_MILLIS) {
                lost.add("the " + program.name() + " hangs: " + status);
            }
        }
        Map<String, String> status = client.status();
        long done = Program.number(status, "done");
        if (done == last) {
            out.accept("the client did not come to the end of any conversation for a while: " + status);
        }
        last = done;
        if (over != Over.KERNEL) {
            lookForStandstill(Program.number(status, "handovers"));
        }
        if (over == Over.SHM) {
            ringsSeen += Rings.of(server.pid(), "");
            unixRingsSeen += Rings.of(server.pid(), OF_UNIX);
        }
    }

    /** The server that a program talks to; the server itself for the server. */
    private Program serverOf(Program program) {
        return program == clientOfVictim ? victimServer : server;
    }

    /** A conversation that lasts so long may be about to fail; once it has, nothing shows why. */
    private void lookForHang(Program program, long oldest) throws IOException, InterruptedException {
        if (shownAt == 0 || System.nanoTime() - shownAt > TimeUnit.MILLISECONDS.toNanos(Wire.PATIENCE_MILLIS)) {
            shownAt = System.nanoTime();
            out.accept("a connection of the " + program.name() + " has lasted for " + oldest + " ms. "
                    + threadsOfBothEnds(program));
        }
    }

    private String threadsOfBothEnds(Program program) throws IOException, InterruptedException {
        return "Its threads:\n" + program.threads() + "\nThe server's:\n"
                + serverOf(program).threads();
    }

    /** While connections go on, some should leave the kernel; if none does for a while, this shows why. */
    private void lookForStandstill(long handovers) throws IOException, InterruptedException {
        long now = System.nanoTime();
        if (handovers != lastHandovers) {
            lastHandovers = handovers;
            handedOver = now;
        } else if (now - handedOver > LONGEST_STANDSTILL.toNanos()) {
            handedOver = now;
            out.accept("no connection of the client has left the kernel for " + LONGEST_STANDSTILL.toSeconds() + " s, "
                    + handovers + " have until then. " + threadsOfBothEnds(client));
        }
    }

    /** Ends the victims, and lets the others finish their work. */
    private void quieten() throws IOException, InterruptedException {
        victimClient.kill();
        noteDeathOfServer();
        victimServer.kill();
        kills += 2;
        client.pause();
        clientOfVictim.pause();
        if (lastingClient != null) {
            lastingClient.pause();
        }
    }

    private void resume() throws IOException, InterruptedException {
        killServer();
        end(victimClient);
        victimClient = startVictimClient();
        client.resume();
        clientOfVictim.resume();
        if (lastingClient != null) {
            lastingClient.resume();
        }
    }

    private Map<Program, Held> held() throws IOException, InterruptedException {
        Map<Program, Held> held = new LinkedHashMap<>();
        for (Program program : lasting()) {
            held.put(program, program.held());
        }
        return held;
    }

    private void compare(Map<Program, Held> before, List<Path> filesBefore, boolean warm)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + over.settle.toNanos();
        List<String> grown;
        Map<Program, Held> now;
        do {
            Thread.sleep(200);
            grown = new ArrayList<>();
            now = held();
            for (Map.Entry<Program, Held> entry : now.entrySet()) {
                grown.addAll(entry.getValue()
                        .growthSince(
                                before.get(entry.getKey()),
                                "the " + entry.getKey().name(),
                                warm));
            }
            List<Path> filesNow = files();
            if (filesNow.size() > filesBefore.size()) {
                grown.add("the files in the shared directory went from " + filesBefore + " to " + filesNow);
            }
        } while (!grown.isEmpty() && System.nanoTime() < deadline);
        lost.addAll(grown);
        show("Held at the end:", now);
    }

    private void show(String what, Map<Program, Held> all) {
        out.accept(what);
        all.forEach((program, held) -> out.accept("  " + program.name() + ": " + held));
    }

    private void total() throws IOException, InterruptedException {
        look();
        Map<String, String> asked = client.status();
        Map<String, String> served = server.status();
        Map<String, String> ofVictim = clientOfVictim.status();
        List<Map<String, String>> ofServer = new ArrayList<>(List.of(asked));
        if (lastingClient != null) {
            ofServer.add(lastingClient.status());
        }
        List<Map<String, String>> all = new ArrayList<>(ofServer);
        all.add(ofVictim);
        long resets = sum(ofServer, "resets");
        // A reset may come when one end of a conversation is just done with it.
        long atOneEnd = resets + Program.number(served, "resets");
        for (String what : List.of("done", "bytes")) {
            long apart = Math.abs(sum(ofServer, what) - Program.number(served, what));
            if (apart > 0 && (atOneEnd == 0 || (what.equals("done") && apart > atOneEnd))) {
                lost.add("its clients count " + what + "=" + sum(ofServer, what) + ", the server " + served.get(what));
            }
        }
        long excepted = sum(ofServer, "excepted") + Program.number(served, "excepted");
        if (resets > excepted) {
            lost.add(resets + " conversations were reset, and for " + excepted
                    + " of them the guarantees except the moment");
        }
        long handovers = sum(all, "handovers");
        if ((over != Over.KERNEL && handovers == 0) || (over == Over.SHM && ringsSeen == 0)) {
            lost.add("the server was never seen to have a connection that has left the kernel");
        }
        // They are found only when they have carried other amounts than the rest, and each look sees only a moment.
        if (isLong && over == Over.SHM && sockets != null && unixRingsSeen == 0) {
            lost.add("the server was never seen to have a Unix-domain connection that has left the kernel");
        }
        if (Program.number(asked, "done") == 0) {
            lost.add("nothing was done at all");
        }
        out.accept(String.format(
                Locale.ROOT,
                "%,d connections, %,d handovers, %,d conversations, %,d bytes, each checked; %d processes killed, by which %,d conversations"
                        + " were cut, with %,d more that were not; provider %s",
                sum(all, "connections"),
                handovers,
                sum(ofServer, "done"),
                sum(ofServer, "bytes"),
                kills,
                Program.number(ofVictim, "cut") + Program.number(served, "cut"),
                Program.number(ofVictim, "others") + Program.number(served, "others"),
                asked.get("provider")));
        if (faults != null) {
            Map<String, String> lasting = ofServer.get(1);
            out.accept(faults.toString());
            out.accept(String.format(
                    Locale.ROOT,
                    "%,d links broke in the clients, whose connections went on through the kernel; of %d connections that lasted links broke"
                            + " %d times, and each break but the first of a connection shows that it had come back to RDMA;"
                            + " %d conversations were reset, in moments that docs/GUARANTEES.md excepts",
                    sum(all, "linkslost"),
                    Program.number(lasting, "connections"),
                    Program.number(lasting, "linkslost"),
                    resets));
        }
    }

    private static long sum(List<Map<String, String>> statuses, String key) {
        return statuses.stream()
                .mapToLong(status -> Program.number(status, key))
                .sum();
    }

    private List<Path> files() throws IOException {
        dead.values().removeIf(killed -> System.nanoTime() - killed > LONGEST_DEAD.toNanos());
        try (Stream<Path> found = Files.walk(shared)) {
            // Places at which processes can be looked at; the next process that starts removes those of dead ones.
            return found.filter(path -> !path.toString().contains("accel-stats"))
                    .filter(path -> dead.keySet().stream().noneMatch(placeIn(path)::contains))
                    .filter(path -> !isOfDeadClient(path))
                    .sorted()
                    .toList();
        }
    }

    /** The file of a client that was killed while it connected; a listener removes it when it is old and another client comes. */
    private static boolean isOfDeadClient(Path path) {
        try {
            Instant old = Instant.now().minus(LONGEST_DEAD);
            return path.getFileName().toString().startsWith("ring-")
                    && Files.getLastModifiedTime(path).toInstant().isAfter(old);
        } catch (IOException e) {
            return !Files.exists(path); // it has just gone
        }
    }

    private String placeIn(Path path) {
        return shared.relativize(path).toString();
    }

    @Override
    public void close() {
        running.forEach(Program::close);
    }
}
