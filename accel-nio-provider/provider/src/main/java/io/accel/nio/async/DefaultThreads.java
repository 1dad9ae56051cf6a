// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import io.accel.core.daemon.Privileged;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes daemon threads that inherit nothing from the thread that needed them. The default group uses them, unless the program names a
 * factory.
 */
final class DefaultThreads implements ThreadFactory {
    private static final String FACTORY = "java.nio.channels.DefaultThreadPool.threadFactory";
    private static final String INITIAL_SIZE = "java.nio.channels.DefaultThreadPool.initialSize";
    private static final int USUAL_SIZE = -1;

    private final String name;
    private final AtomicInteger made = new AtomicInteger();

    DefaultThreads(String name) {
        this.name = name;
    }

    /** Returns the default group's pool, as set by the system properties that {@link java.nio.channels.AsynchronousChannelGroup} names. */
    static ThreadPool pool() {
        String factory = Privileged.get(() -> System.getProperty(FACTORY));
        String size = Privileged.get(() -> System.getProperty(INITIAL_SIZE));
        return ThreadPool.of(
                Executors.newCachedThreadPool(factory == null ? new DefaultThreads("accel-async-") : named(factory)),
                size == null ? USUAL_SIZE : parse(size));
    }

    private static ThreadFactory named(String factory) {
        try {
            return Class.forName(factory, true, ClassLoader.getSystemClassLoader())
                    .asSubclass(ThreadFactory.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalStateException("-D" + FACTORY + "=" + factory + ": no such ThreadFactory can be made", e);
        }
    }

    private static int parse(String size) {
        try {
            return Integer.parseInt(size);
        } catch (NumberFormatException e) {
            throw new IllegalStateException("-D" + INITIAL_SIZE + "=" + size + ": not a number", e);
        }
    }

    @Override
    public Thread newThread(Runnable body) {
        return Privileged.get(() -> {
            Thread thread = new Thread(null, body, name + made.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
            return thread;
        });
    }
}
