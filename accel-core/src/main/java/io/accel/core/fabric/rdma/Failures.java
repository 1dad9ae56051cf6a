// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Shortage;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException;
import java.io.IOException;

/** Turns errors of the verbs into reasons to take another path. */
final class Failures {
    private static final int EPERM = 1;
    private static final int ENOENT = 2;
    private static final int ENOMEM = 12;
    private static final int EACCES = 13;
    private static final int ENODEV = 19;
    private static final int ENOSYS = 38;
    private static final int EOPNOTSUPP = 95;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;

    private Failures() {}

    /**
     * Converts an IOException, or an error such as that of the JVM's limit on direct memory, where requests are kept.
     */
    static FallbackException toFallback(Throwable e) {
        if (e instanceof FallbackException known) {
            return known;
        }
        if (e instanceof VerbsUnavailableException unavailable) {
            return new FallbackException(reasonOf(unavailable.reason()), unavailable.getMessage());
        }
        FallbackReason reason =
                e instanceof VerbsException verbs ? reasonOf(verbs.call(), verbs.errno()) : FallbackReason.NO_RESOURCES;
        return reason == FallbackReason.MEMLOCK
                ? Shortage.of(reason, e.getMessage())
                : new FallbackException(reason, e instanceof IOException ? e.getMessage() : e.toString());
    }

    /** Whether a device has said that it never supports the operation. */
    static boolean isUnsupported(VerbsException e) {
        return e.errno() == ENOSYS || e.errno() == EOPNOTSUPP;
    }

    static FallbackReason reasonOf(VerbsUnavailableException.Reason reason) {
        return switch (reason) {
            case NO_LIBRARY -> FallbackReason.NO_LIBRARY;
            case NO_DEVICE -> FallbackReason.NO_DEVICE;
            case NO_PERMISSION -> FallbackReason.NO_PERMISSION;
        };
    }

    static FallbackReason reasonOf(String call, int errno) {
        return switch (errno) {
            case ENODEV, ENOENT, EADDRNOTAVAIL, ENOSYS, EOPNOTSUPP -> FallbackReason.NO_DEVICE;
            case EACCES, EPERM -> FallbackReason.NO_PERMISSION;
            case EADDRINUSE -> FallbackReason.RENDEZVOUS_TAKEN;
            case ENOMEM -> call.equals("ibv_reg_mr") ? FallbackReason.MEMLOCK : FallbackReason.NO_RESOURCES;
            default -> FallbackReason.NO_RESOURCES;
        };
    }
}
