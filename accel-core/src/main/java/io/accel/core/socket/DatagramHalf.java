package io.accel.core.socket;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

/** The receiving or the sending half of a datagram socket: one thread at a time is in it. */
final class DatagramHalf {
    private final ReentrantLock lock = new ReentrantLock();
    /** What others want done in this half. Added before the lock is tried; looked at after it was left. */
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

    /** Runs a task in this half: now if nobody is in it, otherwise whoever leaves it does. */
    void run(Runnable task) {
        tasks.add(task);
        runTasks();
    }

    /** Runs what others want done. To be called within this half, where nothing of it is in use. */
    void runWithin() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
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
