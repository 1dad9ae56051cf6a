package io.accel.profile;

/** The transport that a rule concerns. */
public enum Protocol {
    /** Streams. */
    TCP,
    /** Datagrams. */
    UDP
}
