// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import io.accel.core.jdk.OpenFiles;
import java.util.concurrent.TimeUnit;

/**
 * The limited things that one end of a link takes on its host besides memory: a file descriptor ({@link DescriptorShare}) and a mapping
 * ({@link MappingShare}). Any thread.
 */
public final class LinkShare {
    /** A process that has used less than one part of this many of what it may have is far from a shortage. */
    static final int FAR_PARTS = 8;
    /**
     * The time between two looks far from a shortage. Where a program comes to one before the next look, links have an eighth of its limit at
     * most. A look opens files, which costs a program that runs little of such code a millisecond of the interpreter's time.
     */
    private static final long FAR_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(8);

    /** When to look for an excess again, as {@link System#nanoTime}. Only the thread that looks uses it. */
    private static long lookAt = System.nanoTime();

    private LinkShare() {}

    /**
     * Takes both, before they are made; their owner gives them back, once, afterwards.
     *
     * @throws FallbackException NO_RESOURCES if links have their share of either, and nothing was taken
     */
    public static void take() throws FallbackException {
        DescriptorShare.take();
        boolean done = false;
        try {
            MappingShare.take();
            done = true;
        } finally {
            if (!done) {
                DescriptorShare.giveBack();
            }
        }
    }

    /** Gives both back. */
    public static void giveBack() {
        MappingShare.giveBack();
        DescriptorShare.giveBack();
    }

    /**
     * How many links should be given back for the program to have what is left to it: because it has taken more since they were made. It takes
     * a system call, and now and then a count of the mappings; far from a shortage it takes neither most of the time. By one thread.
     *
     * @param now the time, as {@link System#nanoTime}
     * @return 0 if there is enough, or no link has any of it
     */
    public static int excess(long now) {
        if (MappingShare.taken() == 0 || now - lookAt < 0) {
            return 0;
        }
        long freeFiles = OpenFiles.free();
        boolean isFar = DescriptorShare.isFarFromAll(OpenFiles.LIMIT, freeFiles) && MappingShare.isFarFromAll();
        lookAt = isFar ? now + FAR_PAUSE_NANOS : now;
        long missing = Math.max(DescriptorShare.missing(freeFiles), MappingShare.missing());
        if (missing <= 0) {
            return 0;
        }
        Shortage.begin();
        return (int) Math.min(missing, MappingShare.taken());
    }
}
