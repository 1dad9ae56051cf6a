// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** A call in a daemon thread of its own. A test can wait until that thread sleeps, which is a state and takes no fixed time. */
public final class Background<T> extends FutureTask<T> {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Thread thread;

    private Background(Callable<T> call) {
        super(call);
        thread = new Thread(this, "background");
        thread.setDaemon(true);
    }

    /** Starts it. */
    public static <T> Background<T> start(Callable<T> call) {
        Background<T> started = new Background<>(call);
        started.thread.start();
        return started;
    }

    /** The thread that runs the call. */
    public Thread thread() {
        return thread;
    }

    /** Waits until the thread is in the kernel's selection, where it stays until something wakes it. */
    public void awaitAsleep() {
        await("the thread's sleep")
                .pollInterval(Duration.ofMillis(1))
                .atMost(LIMIT)
                .until(() -> isIn("sun.nio.ch.EPoll", "wait", 1));
    }

    /** Waits until the thread is somewhere in a method of a class. */
    public void awaitIn(Class<?> type, String method) {
        await("the thread in " + type.getSimpleName() + "." + method)
                .pollInterval(Duration.ofMillis(1))
                .atMost(LIMIT)
                .until(() -> isIn(type.getName(), method, Integer.MAX_VALUE));
    }

    /** Waits until the thread waits for another's monitor, or has ended. */
    public void awaitBlockedOrDone() {
        await("the thread at a monitor, or its end")
                .pollInterval(Duration.ofMillis(1))
                .atMost(LIMIT)
                .until(() -> isDone() || thread.getState() == Thread.State.BLOCKED);
    }

    private boolean isIn(String type, String method, int frames) {
        StackTraceElement[] stack = thread.getStackTrace();
        for (int i = 0; i < Math.min(stack.length, frames); i++) {
            if (stack[i].getClassName().equals(type) && stack[i].getMethodName().equals(method)) {
                return true;
            }
        }
        return false;
    }
}
