// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.io.IOException;
import java.security.AccessControlContext;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;

/**
 * The rights of the program's code that began an operation, for the thread that ends it: a thread of Accel's may have
 * more. Without a security manager, and on JDKs that have none any more, this only calls. Immutable.
 */
@SuppressWarnings("removal") // JDK 17 to 23 have security managers, and programs that use one
public final class CallersRights {
    private static final CallersRights ALL = new CallersRights(null);

    private final AccessControlContext context;

    private CallersRights(AccessControlContext context) {
        this.context = context;
    }

    /** The rights of the code that calls this. */
    public static CallersRights now() {
        return System.getSecurityManager() == null ? ALL : new CallersRights(AccessController.getContext());
    }

    /**
     * Calls an action with no more rights than these.
     *
     * @param action the action
     * @return its result
     * @throws IOException as the action does
     * @throws SecurityException if these rights do not allow it
     */
    public <T> T call(Privileged.Action<T> action) throws IOException {
        if (context == null) {
            return action.run();
        }
        try {
            return AccessController.doPrivileged((PrivilegedExceptionAction<T>) action::run, context);
        } catch (PrivilegedActionException e) {
            throw (IOException) e.getException(); // other exceptions of the action pass through
        }
    }

    /** Runs a task with no more rights than these. */
    public void run(Runnable task) {
        if (context == null) {
            task.run();
        } else {
            AccessController.doPrivileged(
                    (PrivilegedAction<Void>) () -> {
                        task.run();
                        return null;
                    },
                    context);
        }
    }
}
