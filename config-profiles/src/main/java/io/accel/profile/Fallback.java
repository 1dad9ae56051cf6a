package io.accel.profile;

/** What to do when no accelerated path is available for a connection: the values of {@link Keys#FALLBACK}. */
public enum Fallback {
    /** It goes through the kernel, and says why. */
    KERNEL,
    /** It fails with an exception that says why: for those who would rather notice than be slow. */
    FAIL
}
