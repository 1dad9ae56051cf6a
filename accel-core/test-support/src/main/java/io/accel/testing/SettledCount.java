// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.awaitility.Awaitility;

/**
 * A count of the whole process, once it no longer has objects that earlier tests have closed, which give their resources back a
 * moment later.
 */
public final class SettledCount {
    private static final long QUIET_MILLIS = 200;

    private SettledCount() {}

    /** A count that is taken when it has not changed for a while. */
    public static long of(LongSupplier counted) {
        AtomicLong last = new AtomicLong(-1);
        Awaitility.await().pollInterval(QUIET_MILLIS, TimeUnit.MILLISECONDS).until(() -> {
            long now = counted.getAsLong();
            return last.getAndSet(now) == now;
        });
        return last.get();
    }
}
