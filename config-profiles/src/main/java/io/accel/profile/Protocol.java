package io.accel.profile;

/** The transport that a rule speaks of. */
public enum Protocol {
    /** Streams. */
    TCP,
    /** Datagrams. */
    UDP
}
