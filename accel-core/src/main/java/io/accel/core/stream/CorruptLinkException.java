package io.accel.core.stream;

import java.io.IOException;

/**
 * A peer has written a cursor that no correct peer can write. The connection is reset; no byte behind the nonsense is
 * delivered.
 */
public final class CorruptLinkException extends IOException {
    private static final long serialVersionUID = 1L;

    CorruptLinkException(String message) {
        super(message);
    }
}
