// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.stream.Endings;

/** The kind of the kernel's connection under a stream, and what differs with it. */
enum StreamKind {
    TCP(Endings.TCP, true),
    /**
     * A Unix-domain stream. Its client has no name as a rule, so that its two ends know nothing by which both could call it: they find
     * each other by what it has carried ({@link UnixStreams}).
     */
    UNIX(Endings.UNIX, false);

    private final Endings endings;
    private final boolean named;

    StreamKind(Endings endings, boolean named) {
        this.endings = endings;
        this.named = named;
    }

    /** The kind of a connection that stands on this anchor. */
    static StreamKind of(Anchor anchor) {
        return anchor.isUnix() ? UNIX : TCP;
    }

    /** The rules by which one end is told that the other has ended. */
    Endings endings() {
        return endings;
    }

    /** Whether both ends know the connection by their addresses from the beginning. */
    boolean isNamed() {
        return named;
    }
}
