package io.accel.core.fabric;

/** What a fabric's connections carry. Each has port numbers of its own, as in the kernel. */
public enum PortSpace {
    /** Streams. */
    TCP,
    /** Datagrams. */
    UDP
}
