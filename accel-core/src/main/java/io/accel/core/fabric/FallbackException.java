// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import io.accel.FallbackReason;
import java.io.IOException;

/**
 * Reports that a fabric cannot serve a connection or a listener. Programs never see it: the next fabric, in the end
 * the kernel, is tried. It has no stack trace, because for most connections on a host it is the ordinary course.
 */
public final class FallbackException extends IOException {
    private static final long serialVersionUID = 1L;

    private final FallbackReason reason;
    private final boolean passing;

    /**
     * Makes a fallback with its circumstances.
     *
     * @param reason the reason code
     * @param detail the attempt and its result, or null
     */
    public FallbackException(FallbackReason reason, String detail) {
        this(reason, detail, false);
    }

    /**
     * Makes a fallback for which it is known whether it may be over in a moment.
     *
     * @param reason the reason code
     * @param detail the attempt and its result, or null
     * @param passing whether the same question may soon have another answer
     */
    public FallbackException(FallbackReason reason, String detail, boolean passing) {
        super(detail == null ? reason.sentence() : detail);
        this.reason = reason;
        this.passing = passing;
    }

    /** The reason code. */
    public FallbackReason reason() {
        return reason;
    }

    /** Whether it may be worth asking again in a moment, when more has gone through the kernel. */
    public boolean isPassing() {
        return passing;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
