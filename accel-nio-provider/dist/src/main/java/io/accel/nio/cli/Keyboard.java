// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys of this process's terminal, each as it is pressed and without an echo. Keys such as Ctrl-C send their signals as before. A
 * close, or the end of the JVM before it, restores the terminal. For one thread.
 */
final class Keyboard implements AutoCloseable {
    private static final Path TERMINAL = Path.of("/dev/tty");
    /** The timeout of a read in tenths of a second, the unit of {@code stty}. */
    private static final int PATIENCE = 1;

    private static final long PATIENCE_MILLIS = PATIENCE * 100L;
    /** After so long between two reads this process may have been stopped, and the shell may have reset the terminal. */
    private static final long STOPPED_NANOS = 1_000_000_000L;

    private final String before;
    private final InputStream in;
    private final Thread restoring = new Thread(this::restore, "accel-keyboard");
    private long lastRead = System.nanoTime();

    private Keyboard(String before, InputStream in) {
        this.before = before;
        this.in = in;
    }

    /** Opens the keyboard; returns null if this process has no terminal, is in the background, or there is no {@code stty}. */
    static Keyboard open() {
        if (!Terminal.isOfThisGroup()) {
            return null;
        }
        try {
            String before = stty("-g");
            if (before.isEmpty()) {
                return null;
            }
            Keyboard keyboard = new Keyboard(before, new FileInputStream(TERMINAL.toFile()));
            Runtime.getRuntime().addShutdownHook(keyboard.restoring);
            keyboard.prepare();
            return keyboard;
        } catch (IOException e) {
            return null; // the screen can do without keys
        }
    }

    /** Returns the first keys that are pressed within {@code millis}, or none. */
    List<Key> await(long millis) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + millis * 1_000_000;
        while (true) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return List.of();
            }
            List<Key> keys = left < PATIENCE_MILLIS || !Terminal.isOfThisGroup() ? pause(left) : read();
            if (!keys.isEmpty()) {
                return keys;
            }
        }
    }

    /** Waits without a read, which would stop this process in the background. */
    private static List<Key> pause(long millis) throws InterruptedException {
        Thread.sleep(Math.min(millis, PATIENCE_MILLIS));
        return List.of();
    }

    private List<Key> read() throws IOException {
        long now = System.nanoTime();
        if (now - lastRead > STOPPED_NANOS) {
            prepare();
        }
        byte[] sent = new byte[64];
        int n = in.read(sent); // -1 if no key came
        lastRead = System.nanoTime();
        return n > 0 ? Key.in(sent, n) : List.of();
    }

    private void prepare() throws IOException {
        stty("-icanon", "-echo", "min", "0", "time", Integer.toString(PATIENCE));
    }

    private void restore() {
        System.out.println(); // the shell's next output must not go to the last row
        try {
            stty(before);
        } catch (IOException e) {
            System.err.println(
                    "accel: the terminal's settings cannot be restored; 'stty sane' does that: " + e.getMessage());
        }
    }

    private static String stty(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        Process stty = new ProcessBuilder(command)
                .redirectInput(new File(TERMINAL.toString()))
                .redirectError(Redirect.DISCARD)
                .start();
        return new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    }

    @Override
    public void close() throws IOException {
        restore();
        try {
            Runtime.getRuntime().removeShutdownHook(restoring);
        } catch (IllegalStateException e) {
            // the JVM ends, and restores the terminal once more
        }
        in.close();
    }
}
