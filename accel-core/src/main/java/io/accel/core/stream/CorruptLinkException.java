package io.accel.core.stream;

import java.net.SocketException;

/**
 * A peer has written a cursor that no correct peer can write. Nothing behind the nonsense is delivered; a stream is reset, a path
 * for datagrams given up. For the program it is the class of exception by which the JDK tells a reset.
 */
public final class CorruptLinkException extends SocketException {
    private static final long serialVersionUID = 1L;

    /** With the protocol's own words. */
    public CorruptLinkException(String message) {
        super(message);
    }
}
