package io.accel.profile;

/** Whether a spinning thread offers its core to others: the values of {@link Keys#POLL_YIELD}. */
public enum YieldPolicy {
    /** Only when fewer cores are free than threads spin. */
    ADAPTIVE,
    /** On every turn that found nothing. */
    ALWAYS,
    /** Never: for threads that have a core of their own. */
    NEVER
}
