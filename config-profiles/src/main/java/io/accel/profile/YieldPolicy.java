// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** Says whether a spinning thread offers its core to others: the values of {@link Keys#POLL_YIELD}. */
public enum YieldPolicy {
    /** The thread offers it only when fewer cores are free than threads spin. */
    ADAPTIVE,
    /** The thread offers it on every turn that found nothing. */
    ALWAYS,
    /** The thread never offers it: for threads that have a core of their own. */
    NEVER
}
