// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Has one of the calls that a loop makes of a link, whatever its method, fail with an error that no caller expects. {@link Faults} are those
 * of devices, which callers expect. Thread-safe.
 */
final class InjectedErrors {
    /** The kinds of errors. */
    enum Kind {
        FAULT,
        MEMORY,
        STACK,
        MISTAKE;

        private Throwable make() {
            return switch (this) {
                case FAULT -> new InternalError("a fault occurred in a test");
                case MEMORY -> new OutOfMemoryError("of a test");
                case STACK -> new StackOverflowError("of a test");
                case MISTAKE -> new IllegalStateException("of a test");
            };
        }
    }

    private final Set<Link> victims = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private Predicate<Thread> loops;
    private Kind kind;
    private int left;
    private int times;
    private String where;

    /** The link that stands before another, and whose calls may fail. */
    Link over(Link inner) {
        return (Link) Proxy.newProxyInstance(
                Link.class.getClassLoader(), new Class<?>[] {Link.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "hashCode" -> {
                            return System.identityHashCode(proxy);
                        }
                        case "equals" -> {
                            return proxy == arguments[0];
                        }
                        case "free" -> { // whose caller can do nothing
                            inner.free();
                            return null;
                        }
                        case "toString" -> {
                            return "link " + System.identityHashCode(proxy);
                        }
                        default -> {
                            try {
                                failIfDue((Link) proxy, method.getName());
                                return method.invoke(inner, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }
                    }
                });
    }

    /** From now on errors hit a connection's links. */
    void aimAt(StreamSocket... ends) {
        for (StreamSocket end : ends) {
            victims.add(end.attached().link());
        }
    }

    /**
     * The n-th call from now on fails, and those behind it.
     *
     * @param by the threads whose calls count
     * @param what how it fails
     * @param nth which call, from 1
     * @param so how many calls fail
     */
    synchronized void arm(Predicate<Thread> by, Kind what, int nth, int so) {
        loops = by;
        kind = what;
        left = nth;
        times = so;
        where = null;
    }

    synchronized void disarm() {
        loops = null;
        victims.clear();
    }

    /** The first call that failed; null if it has not come. */
    synchronized String where() {
        return where;
    }

    private synchronized void failIfDue(Link link, String method) throws Throwable {
        if (loops == null || !victims.contains(link) || !loops.test(Thread.currentThread()) || --left > 0) {
            return;
        }
        where = where == null ? method : where;
        if (--times == 0) {
            loops = null;
        }
        throw kind.make();
    }
}
