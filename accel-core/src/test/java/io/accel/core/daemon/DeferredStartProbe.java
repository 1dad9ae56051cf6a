// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Defers two pieces of work, and says what happens. */
final class DeferredStartProbe {
    private static final CountDownLatch DONE = new CountDownLatch(1);
    /** Longer than a process is young. */
    private static final long LONG_MILLIS = 1_500;

    /** Longer than a process with time to spare is young if somebody wants what waits. */
    private static final long LONGER_MILLIS = 4_000;

    /** How often the daemon has asked whether the process is busy. */
    private static final AtomicInteger ASKED = new AtomicInteger();

    private DeferredStartProbe() {}

    public static void main(String[] args) throws InterruptedException {
        String how = args[0];
        if (!how.equals("never")) {
            Log.holdUntilStarted();
        }
        if (how.equals("busy") || how.equals("swamped")) {
            int times = how.equals("busy") ? 3 : Integer.MAX_VALUE;
            DeferredStart.stayYoungWhile(() -> ASKED.incrementAndGet() < times);
        }
        if (!how.equals("unwanted")) {
            DeferredStart.want();
        }
        say("young " + DeferredStart.isYoung());
        if (how.equals("fails")) {
            DeferredStart.defer(() -> {
                throw new IllegalStateException("of the test");
            });
        } else {
            say("deferred " + DeferredStart.defer(() -> saySelf("first")));
        }
        boolean unused = DeferredStart.defer(() -> {
            saySelf("second");
            DONE.countDown();
        });
        if (how.equals("busy") || how.equals("swamped")) {
            DONE.await();
            say("asked " + ASKED);
        } else if (how.equals("unwanted")) {
            say(DONE.await(LONGER_MILLIS, TimeUnit.MILLISECONDS) ? "done" : "not done");
            DeferredStart.want();
            say(DONE.await(LONG_MILLIS, TimeUnit.MILLISECONDS) ? "done" : "not done");
        } else if (how.equals("waits") || how.equals("fails")) {
            DONE.await();
            while (DeferredStart.isYoung()) {
                Thread.onSpinWait();
            }
            say("young " + DeferredStart.isYoung());
        } else if (how.equals("exits")) {
            System.exit(0);
        } else if (how.equals("lingers")) {
            Runtime.getRuntime().addShutdownHook(new Thread(DeferredStartProbe::linger));
        }
    }

    private static void linger() {
        try {
            boolean done = DONE.await(LONG_MILLIS, TimeUnit.MILLISECONDS);
            say(done ? "done" : "hook over");
        } catch (InterruptedException e) {
            say(e.toString());
        }
    }

    private static void saySelf(String what) {
        say(what + " by " + Thread.currentThread().getName());
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
