// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import io.accel.samples.perf.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes the lab's RDMA devices away and pulls its cable, as {@code samples/lab/guest} has made them, again and again, and puts everything
 * back each time. A thread of its own does so between {@link #begin} and {@link #end}; no step of it takes longer than its limit.
 * Used by one thread.
 */
final class DeviceFaults {
    /**
     * A device goes once no process has it open any more, and the kernel lets a process go only when it has no message of its connections under
     * way: where the other host has just lost its device, too, that takes a minute and more.
     */
    private static final Duration LONGEST_REMOVAL = Duration.ofMinutes(3);

    private static final Duration LONGEST_STEP = Duration.ofSeconds(60);

    private static final int MOST_ABSENT_MILLIS = 2_000;
    private static final int LEAST_PAUSE_MILLIS = 1_000;
    private static final int MOST_PAUSE_MILLIS = 8_000;

    /** librdmacm closes a device only while there is another. */
    private static final String SPARE = "ip link add spare0 type veth peer name spare1 && ip link set spare0 up"
            + " && ip link set spare1 up && rdma link add rxe9 type rxe netdev spare0";

    private static final String REMOVE = "rdma link delete rxe0";
    private static final String UNTIL_ACTIVE =
            "for i in $(seq 200); do rdma link show rxe0/1 | grep -q 'state ACTIVE' && exit;"
                    + " sleep 0.1; done; rdma link show rxe0/1; exit 1";
    private static final String ADD = "rdma link add rxe0 type rxe netdev eth0 && " + UNTIL_ACTIVE;
    private static final String PULL = "ip link set plug down";
    private static final String PLUG = "ip link set plug up && " + UNTIL_ACTIVE;

    private static final String STATUS = "ended with status ";

    /** Which processes have a device open, what they are, and where the kernel waits. */
    private static final String WHY = "rdma link; rdma resource show;"
            + " ls -l /proc/[0-9]*/fd 2>/dev/null | grep -e '^/proc' -e infiniband | grep -B1 infiniband;"
            + " for p in /proc/[0-9]*; do read -r name <$p/comm || continue; case $name in"
            + " java) echo \"${p#/proc/} $(tr '\\0' ' ' <$p/cmdline | tail -c 150)\";;"
            + " rdma) echo \"${p#/proc/} $name waits in:\"; cat $p/stack;; esac; done 2>/dev/null; true";

    private final Place place;
    private final SplittableRandom random;
    private final Semaphore ending = new Semaphore(0);
    /** Null while there is none. */
    private Thread thread;

    // Written by the thread, or by this object's user while there is no thread.
    private final AtomicInteger removed = new AtomicInteger();
    private final AtomicInteger removedFar = new AtomicInteger();
    private final AtomicInteger pulled = new AtomicInteger();
    private volatile long longestRemovalNanos;
    /** Why there are no faults any more; null as long as each was mended. */
    private volatile String failure;

    /**
     * Prepares both hosts.
     *
     * @param place the two guests of the lab
     */
    DeviceFaults(Place place, SplittableRandom random) throws IOException, InterruptedException {
        this.place = place;
        this.random = random;
        run(false, SPARE, LONGEST_STEP);
        run(true, SPARE, LONGEST_STEP);
    }

    /** Whether this is the lab, with two guests. */
    static boolean arePossible(Place place) {
        return "A".equals(System.getenv("ACCEL_LAB_HOST")) && place.far() != null;
    }

    /** From now on things fail. */
    void begin() {
        ending.drainPermits();
        thread = new Thread(this::goOn, "device faults");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when the fault under way is mended, or could not be. */
    void end() throws InterruptedException {
        ending.release();
        thread.join();
    }

    /** Why a fault was not mended, which processes had the device open, and where they were; null if all were mended. */
    String failure() {
        return failure;
    }

    private void goOn() {
        try {
            while (!ending.tryAcquire(random.nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS), TimeUnit.MILLISECONDS)) {
                switch (random.nextInt(3)) {
                    case 0 -> removeHere();
                    case 1 -> removeFar();
                    default -> pullCable();
                }
            }
        } catch (IOException e) {
            failure = e.getMessage();
        } catch (InterruptedException e) {
            failure = "the thread was interrupted";
        }
    }

    /** Removes this host's device, and brings it back, or cannot, see {@link #failure}. Not while the thread is there. */
    void removeOnce() throws InterruptedException {
        try {
            removeHere();
        } catch (IOException e) {
            failure = e.getMessage();
        }
    }

    private void removeHere() throws IOException, InterruptedException {
        remove(false);
        removed.incrementAndGet();
    }

    private void removeFar() throws IOException, InterruptedException {
        remove(true);
        removedFar.incrementAndGet();
    }

    private void remove(boolean far) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        step(far, REMOVE, LONGEST_REMOVAL);
        longestRemovalNanos = Math.max(longestRemovalNanos, System.nanoTime() - begun);
        Thread.sleep(random.nextInt(MOST_ABSENT_MILLIS));
        step(far, ADD, LONGEST_STEP);
    }

    private void pullCable() throws IOException, InterruptedException {
        step(false, PULL, LONGEST_STEP);
        Thread.sleep(random.nextInt(MOST_ABSENT_MILLIS));
        step(false, PLUG, LONGEST_STEP);
        pulled.incrementAndGet();
    }

    /** Runs a step of a fault, and finds out why if it fails. */
    private void step(boolean far, String script, Duration limit) throws IOException, InterruptedException {
        try {
            run(far, script, limit);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "\n" + why(far), e);
        }
    }

    private String why(boolean far) throws InterruptedException {
        try {
            return run(far, WHY, LONGEST_STEP);
        } catch (IOException e) {
            return "it could not be found out why: " + e.getMessage();
        }
    }

    /** Runs a script on a host; returns what it printed. It may go on after the limit, if the kernel does not let it end. */
    private String run(boolean far, String script, Duration limit) throws IOException, InterruptedException {
        if (far) {
            // The way there need not report the status, and the shell there may be BusyBox's, whose own commands can do
            // less.
            String quoted = "'" + script.replace("'", "'\\''") + "'";
            String said = place.far().ask("/bin/sh -c " + quoted + " 2>&1; echo \"" + STATUS + "$?\"", limit);
            if (!said.endsWith(STATUS + "0\n")) {
                throw new IOException("on the other host '" + script + "' failed, and said: " + said);
            }
            return said;
        }
        // Into a file: a child that cannot be killed would keep a pipe open, and this waiting for its end.
        Path said = Files.createTempFile("accel-soak-", ".txt");
        Process shell = new ProcessBuilder("sh", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        try {
            boolean hasEnded = shell.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!hasEnded || shell.exitValue() != 0) {
                throw new IOException("on this host '" + script + "' "
                        + (hasEnded
                                ? "ended with status " + shell.exitValue()
                                : "did not end within " + limit.toSeconds() + " s")
                        + ", and said: " + Files.readString(said));
            }
            return Files.readString(said);
        } finally {
            shell.destroyForcibly();
            Files.delete(said);
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "the device of this host was removed %d times, that of the other host %d times, and the cable pulled %d times;"
                        + " the longest removal took %.1f s",
                removed.get(),
                removedFar.get(),
                pulled.get(),
                longestRemovalNanos / 1e9);
    }
}
