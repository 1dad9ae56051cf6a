package io.accel.core.stream;

import java.io.IOException;

/**
 * A peer has written a cursor that no correct peer can write. Nothing behind the nonsense is delivered; a stream is reset, a path
 * for datagrams given up.
 */
public final class CorruptLinkException extends IOException {
    private static final long serialVersionUID = 1L;

    /** With the protocol's own words. */
    public CorruptLinkException(String message) {
        super(message);
    }
}
