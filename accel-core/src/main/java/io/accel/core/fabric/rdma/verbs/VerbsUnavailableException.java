// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.io.IOException;

/** Tells why this machine has no RDMA at the moment, and what would change that. */
public final class VerbsUnavailableException extends IOException {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    VerbsUnavailableException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** The kinds of reason. */
    public enum Reason {
        /**
         * librdmacm, libibverbs or the library that calls them cannot be loaded. This stays so for the life of the
         * process.
         */
        NO_LIBRARY,
        /** There is no device, or no driver for it; this may change at any time. */
        NO_DEVICE,
        /** There are devices, and this process may not open them. */
        NO_PERMISSION
    }

    /** The kind of reason. */
    public Reason reason() {
        return reason;
    }
}
