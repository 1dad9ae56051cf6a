// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

/** A pollable whose events the kernel reports by a descriptor: there is nothing to look at in memory. */
public abstract class KernelTold implements Pollable {
    @Override
    public final boolean isPolled() {
        return false;
    }

    @Override
    public final int look(int interest) {
        return 0;
    }

    @Override
    public final void arm(int interest) {
        // The kernel needs no question.
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }
}
