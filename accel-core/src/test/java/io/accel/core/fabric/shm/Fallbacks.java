// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.accel.core.fabric.FallbackException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Expects that something falls back. */
final class Fallbacks {
    private Fallbacks() {}

    static FallbackException of(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        if (thrown instanceof FallbackException e) {
            return e;
        }
        throw new AssertionError("expected a fall-back", thrown);
    }
}
