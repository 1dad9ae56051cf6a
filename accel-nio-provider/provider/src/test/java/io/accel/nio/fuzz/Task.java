// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call on a thread of its own. */
final class Task {
    private static final long LOOK_NANOS = 1_000_000L;
    private static final int LOOKS = 4;

    private final FutureTask<String> call;
    private final Thread thread;
    private final String method;

    private Task(FutureTask<String> call, Thread thread, String method) {
        this.call = call;
        this.thread = thread;
        this.method = method;
    }

    /**
     * Starts a call.
     *
     * @param method the method of a channel or selector in which it is going to wait
     */
    static Task start(String method, Callable<String> body) {
        FutureTask<String> call = new FutureTask<>(body);
        Thread thread = new Thread(call, "fuzz-task");
        thread.setDaemon(true);
        thread.start();
        return new Task(call, thread, method);
    }

    /** Waits until the call waits in its method, or is over. */
    void awaitWaiting() {
        long start = System.nanoTime();
        for (int looks = 0; looks < LOOKS && !call.isDone() && !World.isOver(start); ) {
            World.pause(LOOK_NANOS);
            looks = isInside() ? looks + 1 : 0;
        }
    }

    private boolean isInside() {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> !frame.getClassName().startsWith(Task.class.getPackageName()))
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    boolean isDone() {
        return call.isDone();
    }

    void interrupt() {
        thread.interrupt();
    }

    /** The outcome of the call. */
    String outcome(World world) throws InterruptedException {
        try {
            return call.get(World.LIMIT_NANOS, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            return world.thrown(e.getCause());
        } catch (TimeoutException e) {
            return "STILL WAITING";
        }
    }

    /** Does not wait for it: its channels are closed. */
    void end() {
        if (!call.isDone()) {
            thread.interrupt();
        }
    }
}
