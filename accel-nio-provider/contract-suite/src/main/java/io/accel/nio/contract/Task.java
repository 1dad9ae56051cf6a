// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A call that a test makes on another thread, and its outcome. All waiting is bounded. */
public final class Task<T> {
    private static final int LIMIT_SECONDS = 20;

    /** A call that returns nothing. */
    public interface Action {
        void run() throws Exception;

        static Callable<Void> call(Action action) {
            return () -> {
                action.run();
                return null;
            };
        }
    }

    private final FutureTask<T> call;
    private final Thread thread;

    private Task(FutureTask<T> call, Thread thread) {
        this.call = call;
        this.thread = thread;
    }

    public static <T> Task<T> start(Callable<T> body) {
        FutureTask<T> call = new FutureTask<>(body);
        Thread thread = new Thread(call, "contract-task");
        thread.setDaemon(true);
        thread.start();
        return new Task<>(call, thread);
    }

    /** The same on a virtual thread; only on a JDK that has them ({@link #virtualThreads()}). */
    public static <T> Task<T> startVirtual(Callable<T> body) {
        FutureTask<T> call = new FutureTask<>(body);
        try {
            Thread thread = (Thread) MethodHandles.publicLookup()
                    .findStatic(Thread.class, "startVirtualThread", MethodType.methodType(Thread.class, Runnable.class))
                    .invoke((Runnable) call);
            return new Task<>(call, thread);
        } catch (Throwable e) {
            throw new LinkageError("this JDK has no virtual threads", e);
        }
    }

    public static boolean virtualThreads() {
        return Runtime.version().feature() >= 21;
    }

    public Thread thread() {
        return thread;
    }

    public boolean isDone() {
        return call.isDone();
    }

    public boolean finishesWithin(long millis) throws InterruptedException {
        thread.join(millis);
        return !thread.isAlive();
    }

    /** The result of the call. An exception that it threw is the cause of an {@link ExecutionException}. */
    public T result() throws Exception {
        return MachineClock.get(call, LIMIT_SECONDS);
    }

    /** The exception that the call threw. */
    public Throwable failure() throws Exception {
        try {
            T result = MachineClock.get(call, LIMIT_SECONDS);
            throw new AssertionError("expected an exception, but the call returned " + result);
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    /**
     * Waits until the thread is inside a method of that name outside the tests, and has been for a while: a thread in
     * a system call, or one that spins, does not show it in its state, only in its stack.
     */
    public Task<T> awaitInside(String method) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .during(Duration.ofMillis(40))
                .atMost(Duration.ofSeconds(LIMIT_SECONDS))
                .until(() -> isInside(method));
        return this;
    }

    private boolean isInside(String method) {
        return Arrays.stream(thread.getStackTrace())
                .filter(frame -> !frame.getClassName().startsWith(Task.class.getPackageName()))
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    public void interrupt() {
        thread.interrupt();
    }

    /** Ends the thread, whatever it does; returns whether it has ended. */
    public boolean end() throws InterruptedException {
        thread.join(SECONDS.toMillis(1));
        if (thread.isAlive()) {
            thread.interrupt();
            thread.join(SECONDS.toMillis(LIMIT_SECONDS));
        }
        return !thread.isAlive();
    }
}
