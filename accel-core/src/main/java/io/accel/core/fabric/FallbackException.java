package io.accel.core.fabric;

import java.io.IOException;

/**
 * A fabric cannot serve a connection or a listener. Never seen by programs: the next fabric, in the end the kernel, is
 * tried. Without a stack trace, because for most connections on a host it is the ordinary course.
 */
public final class FallbackException extends IOException {
    private static final long serialVersionUID = 1L;

    private final FallbackReason reason;

    /**
     * A fall-back with its circumstances.
     *
     * @param reason the reason code
     * @param detail what was tried and what came of it, or null
     */
    public FallbackException(FallbackReason reason, String detail) {
        super(detail == null ? reason.sentence() : detail);
        this.reason = reason;
    }

    /** The reason code. */
    public FallbackReason reason() {
        return reason;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
