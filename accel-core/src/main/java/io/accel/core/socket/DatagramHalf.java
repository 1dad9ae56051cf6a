// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/** The receiving or the sending half of a datagram socket: one thread at a time is in it. */
final class DatagramHalf {
    private static final Warnings ERRORS = new Warnings(Log.of(DatagramHalf.class));

    private final ReentrantLock lock = new ReentrantLock();
    /**
     * The tasks that other threads want done in this half. A task is added before the lock is tried; the tasks are looked at after the lock
     * was left.
     */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
        if (hasTasks()) {
            runTasks();
        }
    }

    /** Runs a task in this half: now if no thread is in it, otherwise the thread that leaves it runs the task. */
    void run(Runnable task) {
        tasks.add(task);
        runTasks();
    }

    /**
     * Runs the tasks of other threads. To be called within this half, at a point where nothing of it is in use. An error of a task is none of
     * the caller's.
     */
    void runWithin() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                ERRORS.warn("a step between two receives or sends of a datagram socket met an error", e);
            }
        }
    }

    /** Whether tasks wait for the thread that is within this half. Any thread. */
    boolean hasTasks() {
        return !tasks.isEmpty();
    }

    private void runTasks() {
        while (hasTasks() && !lock.isHeldByCurrentThread() && lock.tryLock()) {
            try {
                runWithin();
            } finally {
                lock.unlock();
            }
        }
    }
}
