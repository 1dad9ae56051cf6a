// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** How a TCP connection fails under a program that does nothing about it, as one of its ends sees it. */
public enum Failure {
    /** The end itself is killed, as an operator does, or a rule ({@code ss -K}). */
    KILLED("Software caused connection abort", "Software caused connection abort"),
    /** A reset comes, as from a middlebox, or because the other end was killed. */
    RESET("Connection reset", "Connection reset by peer");

    private static final int LIMIT_SECONDS = 10;
    /** Far more than it takes: the clock moves on twice a second, and a busy machine is late by itself. */
    private static final int SOON_SECONDS = 2;

    private final String readMessage;
    private final String writeMessage;

    Failure(String readMessage, String writeMessage) {
        this.readMessage = readMessage;
        this.writeMessage = writeMessage;
    }

    /** The message of a read that is told first. */
    public String readMessage() {
        return readMessage;
    }

    /** The message of a write that is told first. */
    public String writeMessage() {
        return writeMessage;
    }

    /**
     * Makes the connection fail so at the end with that local address, whose kernel knows it on return.
     *
     * @return when it has
     */
    public MachineClock.Moment strike(SocketAddress local, SocketAddress remote)
            throws IOException, InterruptedException {
        int port = ((InetSocketAddress) local).getPort();
        int peers = ((InetSocketAddress) remote).getPort();
        if (this == KILLED) {
            kill(port, peers);
        } else {
            kill(peers, port);
        }
        return MachineClock.Moment.now();
    }

    /** Fails if that was long ago: whoever waits is told of a failure when the kernel knows of it. */
    public static void assertJust(MachineClock.Moment struck) {
        assertThat(struck.isOver(SOON_SECONDS))
                .as("told late: after %s", struck)
                .isFalse();
    }

    private static void kill(int local, int remote) throws IOException, InterruptedException {
        Assumptions.assumeTrue(isRoot(), "needs root, to end a TCP connection");
        Process ss = new ProcessBuilder(
                        List.of("ss", "-K", "-n", "-t", "sport = :" + local + " and dport = :" + remote))
                .redirectErrorStream(true)
                .start();
        String said = new String(ss.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(ss.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(said).as("killed").contains(":" + local).contains(":" + remote);
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
