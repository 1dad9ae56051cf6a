// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

/** Carries the findings of a poll to the thread that polls. Used by the owner of the poller's turn. */
final class Reports {
    private Poller.Sink sink;
    private int count;

    void begin(Poller.Sink into) {
        sink = into;
        count = 0;
    }

    void end() {
        sink = null;
    }

    /** How many reports there were since {@link #begin}. */
    int count() {
        return count;
    }

    boolean hasAny() {
        return count > 0;
    }

    void report(Registration registration, int ops) {
        Poller.Sink into = sink;
        // Without a sink a closing thread runs the turn; a registration that is ready now is ready in the next poll,
        // too.
        if (into != null) {
            count++;
            into.ready(registration, ops);
        }
    }
}
