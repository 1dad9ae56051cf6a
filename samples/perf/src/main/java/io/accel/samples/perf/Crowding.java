// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

/** The small part of the machine on which both ends of a case have to run. */
enum Crowding {
    /** As {@link Cores} have it. */
    NONE(Integer.MAX_VALUE, false),
    /** Both on one processor. */
    ONE_CORE(1, false),
    /** Both on one processor, which a busy loop wants as well. */
    HOG(1, true),
    /** Both on two processors. */
    TWO_CORES(2, false),
    /** Each may use half a processor's time, as a container with a CPU limit of 0.5. */
    QUOTA(Integer.MAX_VALUE, false);

    /** How many processors there are for both. */
    final int processors;

    final boolean hog;

    Crowding(int processors, boolean hog) {
        this.processors = processors;
        this.hog = hog;
    }
}
