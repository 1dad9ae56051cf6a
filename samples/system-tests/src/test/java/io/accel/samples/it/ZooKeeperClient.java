// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.programs.ZooKeeperLoad;
import io.accel.testing.Child;
import java.time.Duration;

/** A ZooKeeper client in a JVM of its own, on the provider under test. Not safe for use by several threads. */
final class ZooKeeperClient implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(45);
    private static final Duration ANSWER = Duration.ofSeconds(60);

    private final Child child;

    private ZooKeeperClient(Child child) {
        this.child = child;
    }

    /** Starts a client of these servers and waits until it is connected to one. */
    static ZooKeeperClient connect(String servers) {
        Child child = Launch.accelerated(ZooKeeperLoad.class, servers)
                .testClassPath()
                // It warns when it gives a connection up, and says why.
                .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .option("-Dorg.slf4j.simpleLogger.showDateTime=true")
                .start("ZooKeeper client of " + servers);
        try {
            child.awaitLine("CONNECTED", START);
            return new ZooKeeperClient(child);
        } catch (AssertionError e) {
            child.close();
            throw e;
        }
    }

    /** Makes it carry out one of {@link ZooKeeperLoad}'s commands. */
    void ask(String command) {
        child.send(command);
        child.awaitLine("OK " + command, ANSWER);
    }

    /** The host and port of the server that it is connected to. */
    String server() {
        child.send("SERVER");
        return child.awaitLine("SERVER ", ANSWER).substring("SERVER ".length());
    }

    /** The latest that it printed. */
    String output() {
        return child.output();
    }

    @Override
    public void close() {
        child.close();
    }
}
