// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

import java.util.Arrays;

/**
 * Judges a new link by what its program does with it: whether bytes come and go as fast as they did through the kernel just before. The
 * kernel's pace is measured while the connection waits for its link. On the link the trial waits until code is warm, and then measures
 * a number of short windows in which there was traffic. Of these it takes a pace that two thirds do not exceed, since a burst may begin or end
 * within a window. A program that is quiet, or that sends less on its own account, may be taken for slower; its
 * connection goes back to the kernel, where the same comparison tells that the kernel is not faster either.
 *
 * <p>Pure, and for one thread: the caller tells the time and how many bytes there were.
 */
public final class LinkTrial {
    /** What the trial has found. */
    public enum Verdict {
        UNDECIDED,
        /** The link is not slower. */
        NOT_SLOWER,
        SLOWER,
        /** The program was quiet, so nothing is known. */
        NONE
    }

    /** How long a program has to get warm on a link, at least. */
    static final long WARM_NANOS = 500_000_000L;
    /** How long it has while the JVM still compiles. */
    static final long MOST_WARM_NANOS = 4_000_000_000L;

    private static final long WINDOW_NANOS = 50_000_000L;
    private static final int WINDOWS = 12;
    /** The place of the window that counts, among all by their pace. */
    private static final int TWO_THIRDS = 8;
    /** After this time there is no verdict. */
    static final long MOST_NANOS = 8_000_000_000L;

    /** A link that has at least this part of the kernel's pace, in hundredths, is not slower: figures differ by that much by chance. */
    private static final int NEAR = 90;

    /** The pace through the kernel, in bytes a second. */
    private final double kernel;

    private final long began;
    private long windowAt;
    private long windowBytes;
    private final double[] paces = new double[WINDOWS];
    private int windows;

    /**
     * A trial.
     *
     * @param kernel the pace through the kernel, in bytes a second; 0 if it is not known
     * @param now when the link came
     */
    public LinkTrial(double kernel, long now) {
        this.kernel = kernel;
        this.began = now;
        this.windowAt = now + WARM_NANOS;
        this.windowBytes = -1;
    }

    /**
     * Looks at the link.
     *
     * @param bytes how many bytes have gone over it in both directions since it came
     * @param compiling whether the JVM's compilers are busy
     * @param now the time
     */
    public Verdict look(long bytes, boolean compiling, long now) {
        if (kernel == 0) {
            return Verdict.NOT_SLOWER;
        }
        if (now - windowAt < 0 || (windowBytes < 0 && compiling && now - began < MOST_WARM_NANOS)) {
            return Verdict.UNDECIDED;
        }
        if (windowBytes < 0) {
            begin(bytes, now);
        } else if (now - windowAt >= WINDOW_NANOS) {
            if (bytes > windowBytes) {
                paces[windows++] = (bytes - windowBytes) * 1e9 / (now - windowAt);
            }
            begin(bytes, now);
            if (windows == WINDOWS) {
                Arrays.sort(paces);
                return pace() * 100 >= kernel * NEAR ? Verdict.NOT_SLOWER : Verdict.SLOWER;
            }
        }
        return now - began > MOST_NANOS ? Verdict.NONE : Verdict.UNDECIDED;
    }

    private void begin(long bytes, long now) {
        windowAt = now;
        windowBytes = bytes;
    }

    /** The pace on the link, in bytes a second; 0 as long as there is no verdict. */
    public double pace() {
        return windows < WINDOWS ? 0 : paces[TWO_THIRDS];
    }

    /**
     * The time by which a unit of the connection's traffic took less over the link than through the kernel, in nanoseconds; 0 if it did not, or
     * if the difference may be chance, or is not known.
     *
     * @param bytesPerUnit the bytes of a unit of traffic
     */
    public long savedNanos(double bytesPerUnit) {
        double link = pace();
        return kernel <= 0 || link * NEAR <= kernel * 100 ? 0 : (long) (1e9 * bytesPerUnit * (1 / kernel - 1 / link));
    }

    /**
     * Whether the kernel's pace is better than a link's was, beyond chance. Asked before a connection gets another link.
     *
     * @param kernel the kernel's pace now
     * @param link the link's before, for the same connection
     */
    public static boolean isKernelFaster(double kernel, double link) {
        return link * 100 < kernel * NEAR;
    }
}
