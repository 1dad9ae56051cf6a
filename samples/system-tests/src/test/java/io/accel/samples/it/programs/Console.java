// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A child program's line to the test: results on standard output, commands on standard input.
 *
 * <p>When the input is closed, because the test is gone, the program ends. Safe for use by several threads.
 */
final class Console {
    private static final int TEST_IS_GONE = 99;

    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    private final Thread main = Thread.currentThread();

    /** Starts to listen; {@code INTERRUPT} interrupts the thread that calls this, at once. */
    Console() {
        Thread reader = new Thread(this::listen, "commands");
        reader.setDaemon(true);
        reader.start();
    }

    /** Prints a line of result. */
    void say(String line) {
        System.out.println(line);
    }

    /** Waits for this command; others before it are an error. */
    void await(String wanted) throws InterruptedException {
        String command = commands.take();
        if (!command.equals(wanted)) {
            throw new IllegalStateException("awaited " + wanted + ", not " + command);
        }
    }

    /** Waits for the next command. */
    String next() throws InterruptedException {
        return commands.take();
    }

    /** Whether this command has come, and is next. */
    boolean has(String wanted) {
        return wanted.equals(commands.peek());
    }

    private void listen() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("INTERRUPT")) {
                    main.interrupt();
                } else {
                    commands.add(line);
                }
            }
        } catch (IOException e) {
            say("commands broke off: " + e);
        }
        Runtime.getRuntime().halt(TEST_IS_GONE);
    }
}
