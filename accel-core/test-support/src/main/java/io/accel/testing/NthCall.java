// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import io.accel.testing.InjectedErrors.Kind;

/** Memory runs out at one of the calls that a test counts. By one thread at a time. */
public final class NthCall {
    private int left;

    /**
     * Fails the call that comes next, or a later one.
     *
     * @param nth which of them; 1 is the next
     */
    public void fail(int nth) {
        left = nth;
    }

    /**
     * Counts a call.
     *
     * @throws OutOfMemoryError at the one that is to fail
     */
    public void failIfDue() {
        if (--left == 0) {
            throw new OutOfMemoryError(Kind.MEMORY.message());
        }
    }
}
