// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.NetworkChannel;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.function.Supplier;

/**
 * Runs Accel's own actions under a {@code SecurityManager} with the rights of its own code, whatever the calling code
 * of the program may do. Without a security manager, and on JDKs that have none any more, this only calls. Stateless.
 */
@SuppressWarnings("removal") // JDK 17 to 23 have security managers, and programs that use one
public final class Privileged {
    private Privileged() {}

    /** An action that may fail as input and output does. */
    @FunctionalInterface
    public interface Action<T> {
        /** Runs the action. */
        T run() throws IOException;
    }

    /**
     * Calls an action that throws no checked exception.
     *
     * @param action the action
     * @return its result
     * @throws SecurityException if not even Accel's code may do it
     */
    public static <T> T get(Supplier<T> action) {
        return System.getSecurityManager() == null ? action.get() : Managed.get(action);
    }

    /**
     * The address of a channel's own end, which a program with few rights is not told.
     *
     * @param channel the channel
     * @return as {@link NetworkChannel#getLocalAddress}
     * @throws IOException as there
     */
    public static SocketAddress localAddress(NetworkChannel channel) throws IOException {
        return System.getSecurityManager() == null ? channel.getLocalAddress() : call(channel::getLocalAddress);
    }

    /**
     * Calls an action.
     *
     * @param action the action
     * @return its result
     * @throws IOException as the action does
     * @throws SecurityException if not even Accel's code may do it
     */
    public static <T> T call(Action<T> action) throws IOException {
        return System.getSecurityManager() == null ? action.run() : Managed.call(action);
    }

    /** Where there is a security manager. A class of its own: a process without one need not load what this needs. */
    private static final class Managed {
        private Managed() {}

        static <T> T get(Supplier<T> action) {
            return AccessController.doPrivileged((PrivilegedAction<T>) action::get);
        }

        static <T> T call(Action<T> action) throws IOException {
            try {
                return AccessController.doPrivileged((PrivilegedExceptionAction<T>) action::run);
            } catch (PrivilegedActionException e) {
                throw (IOException) e.getException(); // other exceptions of the action pass through
            }
        }
    }
}
