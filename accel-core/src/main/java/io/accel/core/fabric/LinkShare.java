// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

/**
 * The limited things that one end of a link takes on its host besides memory: a file descriptor ({@link DescriptorShare}) and a mapping
 * ({@link MappingShare}). Any thread.
 */
public final class LinkShare {
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
     * a system call, and now and then a count of the mappings.
     *
     * @return 0 if there is enough, or no link has any of it
     */
    public static int excess() {
        if (MappingShare.taken() == 0) {
            return 0;
        }
        long missing = Math.max(DescriptorShare.missing(), MappingShare.missing());
        if (missing <= 0) {
            return 0;
        }
        Shortage.begin();
        return (int) Math.min(missing, MappingShare.taken());
    }
}
