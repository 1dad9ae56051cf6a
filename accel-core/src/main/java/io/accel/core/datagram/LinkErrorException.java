// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

/**
 * A call into a link has met an error, which is the cause: a fault of its memory, or a mistake. It says that the error is the link's, and not
 * that of a buffer of the program's. The path over the link is given up.
 */
public final class LinkErrorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean behind;

    LinkErrorException(Throwable cause, boolean behind) {
        super(cause);
        this.behind = behind;
    }

    /** Whether the datagram has left its buffer, so that nobody knows whether the peer has it. */
    public boolean isBehind() {
        return behind;
    }
}
