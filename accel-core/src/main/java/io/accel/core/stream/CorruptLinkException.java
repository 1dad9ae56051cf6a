// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import java.net.SocketException;

/**
 * A peer has written a cursor that no correct peer can write. Nothing behind the nonsense is delivered; a stream is
 * reset, a path for datagrams given up. The JDK reports a reset by this class of exception, so a program sees one.
 */
public final class CorruptLinkException extends SocketException {
    private static final long serialVersionUID = 1L;

    /** Makes the exception with the protocol's own words. */
    public CorruptLinkException(String message) {
        super(message);
    }
}
