// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import io.accel.samples.perf.BenchProcess;
import io.accel.samples.perf.End;
import io.accel.samples.perf.Place;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A {@link SoakPeer} in a process of its own. Used by one thread. */
final class Program implements AutoCloseable {
    /** On a host of one processor the threads of the other programs leave a JVM that starts little of it. */
    private static final Duration START = Duration.ofMinutes(3);

    /** Longer than it takes to notice that something hangs. */
    private static final Duration ANSWER = Duration.ofSeconds(90);

    private final String name;
    private final BenchProcess process;
    private final Map<String, String> ready;

    /** Starts it at the place of such an end, and waits until it is ready. */
    Program(Place place, End end, String name, List<String> command) throws IOException, InterruptedException {
        this.name = name;
        process = place.start(end, "the " + name, command);
        try {
            ready = process.await("ready", START);
        } catch (IOException | InterruptedException e) {
            process.close();
            throw e;
        }
    }

    String name() {
        return name;
    }

    /** The addresses at which a server listens: two ports and perhaps the path of a Unix-domain socket. */
    String ports() {
        return ready.get("ports");
    }

    List<Integer> portNumbers() {
        return Stream.of(ports().split(",", -1))
                .filter(each -> !each.startsWith("/"))
                .map(Integer::valueOf)
                .toList();
    }

    Map<String, String> status() throws IOException, InterruptedException {
        return ask("status", "status");
    }

    static long number(Map<String, String> status, String key) {
        return Long.parseLong(status.get(key));
    }

    void pause() throws IOException, InterruptedException {
        ask("pause", "paused");
    }

    void resume() throws IOException, InterruptedException {
        ask("resume", "resumed");
    }

    void talkTo(Program server) throws IOException, InterruptedException {
        ask("talk=" + server.ports(), "talking");
    }

    long pid() {
        return process.pid();
    }

    Held held() throws IOException, InterruptedException {
        return Held.of(ask("collect", "collected"));
    }

    /** The work of its threads, behind the last lines of its output before; only those if it has ended. */
    String threads() throws IOException, InterruptedException {
        if (process.isAlive()) {
            ask("threads", "told");
        }
        return complaints();
    }

    private Map<String, String> ask(String command, String answer) throws IOException, InterruptedException {
        process.send(command);
        return process.await(answer, ANSWER);
    }

    void kill() throws IOException, InterruptedException {
        process.kill();
    }

    /** Its output for people. */
    String complaints() {
        return process.complaints();
    }

    @Override
    public void close() {
        process.close();
    }
}
