package io.accel.profile;

/** Whether to accelerate at all: the values of {@link Keys#MODE}. */
public enum Mode {
    /** Accelerate what the rules and the peers allow. */
    ACCELERATE,
    /** Every connection goes through the kernel. */
    OFF
}
