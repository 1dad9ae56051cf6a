// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/**
 * Turns the exceptions of channels into those of {@code java.net} sockets, with the JDK's own messages, since programs are known to
 * look at them.
 */
final class SocketExceptions {

    private SocketExceptions() {}

    /**
     * Returns the exception to throw where a method may throw any {@link IOException}; an {@code IOException} stays what it is.
     *
     * @throws RuntimeException {@code e} itself, if the sockets throw it too
     */
    static IOException translate(Exception e) {
        return e instanceof IOException io ? io : translateToSocketException(e);
    }

    /**
     * Returns the exception to throw where only {@link SocketException} is declared.
     *
     * @throws RuntimeException {@code e} itself, if the sockets throw it too
     */
    static SocketException translateToSocketException(Exception e) {
        if (e instanceof SocketException already) {
            return already;
        }
        String message = messageFor(e);
        if (message == null && e instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        SocketException translated = new SocketException(message);
        translated.initCause(e);
        return translated;
    }

    private static String messageFor(Exception e) {
        if (e instanceof ClosedChannelException) {
            return "Socket is closed";
        } else if (e instanceof NotYetConnectedException) {
            return "Socket is not connected";
        } else if (e instanceof AlreadyBoundException) {
            return "Already bound";
        } else if (e instanceof AlreadyConnectedException) {
            return "Already connected";
        } else if (e instanceof NotYetBoundException) {
            return "Socket is not bound yet";
        } else if (e instanceof UnsupportedAddressTypeException) {
            return "Unsupported address type";
        } else if (e instanceof UnresolvedAddressException) {
            return "Unresolved address";
        }
        return e instanceof RuntimeException ? null : e.getMessage();
    }

    /** Throws the exception where a function's type does not declare it, though its caller in the JDK expects it. */
    @SuppressWarnings("unchecked")
    static <E extends Throwable> RuntimeException undeclared(IOException e) throws E {
        throw (E) e;
    }
}
