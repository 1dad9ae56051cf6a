// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Watches that a thread is done with its work in time, and says what it waits for if it is not. */
final class Limit {
    private final CountDownLatch workDone = new CountDownLatch(1);
    private final Thread watch;

    /**
     * Begins to watch the current thread.
     *
     * @param over gets a sentence with the thread's stack, on another thread, unless the work is {@linkplain #done done} before
     */
    Limit(Duration limit, Consumer<String> over) {
        Thread worker = Thread.currentThread();
        watch = new Thread(
                () -> {
                    try {
                        if (!workDone.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                            over.accept("it did not end within " + limit.toSeconds() + " s:"
                                    + Arrays.stream(worker.getStackTrace())
                                            .map(frame -> "\n    at " + frame)
                                            .collect(Collectors.joining()));
                        }
                    } catch (InterruptedException e) {
                        over.accept("nobody watches any more how long it takes: " + e);
                    }
                },
                "limit");
        watch.setDaemon(true);
        watch.start();
    }

    /** The work is done. Returns the thread that watched, which ends soon. */
    Thread done() {
        workDone.countDown();
        return watch;
    }
}
