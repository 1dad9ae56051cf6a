// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Has calls of an interface fail with errors that no caller expects, whichever methods the interface has. It stands before an object, and
 * before everything of the interfaces of the same package that the object hands out or is handed: in both directions.
 *
 * <p>A call that gives something back, or takes something over, does so before it fails: no caller could do anything about it otherwise.
 * Everything else fails before it has done anything. Each {@code Link} that is handed out is counted until it is freed, and a call after
 * that is noted.
 *
 * <p>Thread-safe.
 */
public final class InjectedErrors {
    /** The kinds of errors. */
    public enum Kind {
        FAULT("a fault occurred in a test"),
        MEMORY("memory ran out in a test"),
        STACK("stack ran out in a test"),
        MISTAKE("a mistake of a test");

        private final String message;

        Kind(String message) {
            this.message = message;
        }

        /** The message of its errors. */
        public String message() {
            return message;
        }

        private Throwable make() {
            return switch (this) {
                case FAULT -> new InternalError(message);
                case MEMORY -> new OutOfMemoryError(message);
                case STACK -> new StackOverflowError(message);
                case MISTAKE -> new IllegalStateException(message);
            };
        }

        /** Whether an error is one of these, or was caused by one. */
        public static boolean isAny(Throwable e) {
            for (Throwable each = e; each != null; each = each.getCause()) {
                String said = each.getMessage();
                if (said != null && Arrays.stream(values()).anyMatch(kind -> said.endsWith(kind.message))) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The methods after which something is another's, or nobody's. */
    private static final Set<String> PASSING_ON =
            Set.of("free", "close", "abort", "unreserve", "withdrawn", "offered", "removeRinger", "hangUp");

    private static final String LINK = "Link";

    /** The links whose calls may fail. */
    private final Set<Object> victims = ConcurrentHashMap.newKeySet();
    /** The links that were handed out, and what stands before each: the same object each time, since callers compare links. */
    private final Map<Object, Object> links = new ConcurrentHashMap<>();

    private final Set<Object> freed = ConcurrentHashMap.newKeySet();
    private volatile boolean aimsAtNew;

    // Guarded by this.
    private final Set<String> misuse = new HashSet<>();
    private Predicate<Thread> loops = thread -> false;
    private Predicate<String> calls = call -> false;
    private Kind kind;
    private int left;
    private int times;
    private String where;
    private Throwable first;
    private final Set<String> met = new TreeSet<>();

    /** An object by its identity, which is that of all objects that stand before it. */
    private record Behind(Object inner) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Behind behind && behind.inner == inner;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(inner);
        }
    }

    /** Passes the calls of one object on. */
    private final class Guise implements InvocationHandler {
        private final Behind behind;
        private final String type;

        Guise(Object inner, Class<?> type) {
            this.behind = new Behind(inner);
            this.type = type.getSimpleName();
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "hashCode" -> behind.hashCode();
                    case "equals" -> isSame(arguments[0]);
                    default -> "before " + behind.inner;
                };
            }
            String name = method.getName();
            String call = type + "." + name;
            boolean passesOn = PASSING_ON.contains(name);
            boolean isSpared = isLink() && !victims.contains(behind);
            note(call, name);
            if (!passesOn && !isSpared) {
                failIfDue(call);
            }
            Object result = pass(method, arguments);
            if (passesOn && !isSpared) {
                failIfDue(call);
            }
            return result;
        }

        private boolean isLink() {
            return type.equals(LINK);
        }

        private boolean isSame(Object other) {
            return other != null
                    && Proxy.isProxyClass(other.getClass())
                    && Proxy.getInvocationHandler(other) instanceof Guise guise
                    && guise.behind.equals(behind);
        }

        private void note(String call, String name) {
            if (!isLink()) {
                return;
            }
            boolean isLate = name.equals("free") ? !freed.add(behind) : freed.contains(behind);
            if (isLate && !name.equals("rings") && !name.equals("publishes")) {
                synchronized (InjectedErrors.this) {
                    misuse.add(call + " of a freed link");
                }
            }
        }

        private Object pass(Method method, Object[] arguments) throws Throwable {
            Object[] passed = arguments == null ? null : arguments.clone();
            Class<?>[] types = method.getParameterTypes();
            for (int i = 0; i < types.length; i++) {
                passed[i] = guised(types[i], passed[i], method.getDeclaringClass());
            }
            try {
                Object result = method.invoke(behind.inner, passed);
                if (method.getName().equals("offered") && Boolean.FALSE.equals(result)) {
                    freed.add(((Guise) Proxy.getInvocationHandler(passed[0]))
                            .behind); // by the fabric, whose link it has stayed
                }
                return guised(method.getReturnType(), result, method.getDeclaringClass());
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    private Object guised(Class<?> type, Object value, Class<?> beside) {
        boolean isOfPackage = type.isInterface() && type.getPackageName().equals(beside.getPackageName());
        if (!isOfPackage || value == null || (Proxy.isProxyClass(value.getClass()) && isGuise(value))) {
            return value;
        }
        return over(type, value);
    }

    private static boolean isGuise(Object proxy) {
        return Proxy.getInvocationHandler(proxy) instanceof Guise;
    }

    /**
     * Stands before an object.
     *
     * @param type the interface by which it is known
     * @param inner the object
     * @return what is to be used in its place
     */
    public <T> T over(Class<T> type, Object inner) {
        Guise guise = new Guise(inner, type);
        if (!guise.isLink()) {
            return type.cast(proxy(type, guise));
        }
        return type.cast(links.computeIfAbsent(guise.behind, behind -> {
            if (aimsAtNew) {
                victims.add(behind);
            }
            return proxy(type, guise);
        }));
    }

    private static Object proxy(Class<?> type, Guise guise) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, guise);
    }

    /** From now on errors hit these links, each of which was handed out by this. No link is hit before, and everything else always is. */
    public void aimAt(Object... guises) {
        for (Object each : guises) {
            victims.add(((Guise) Proxy.getInvocationHandler(each)).behind);
        }
    }

    /** From now on errors hit the links that come until the {@linkplain #disarm end}. */
    public void aimAtNew() {
        aimsAtNew = true;
    }

    /** From now on the calls of these threads are noted, and none fails. */
    public synchronized void watch(Predicate<Thread> by) {
        arm(by, call -> true, null, Integer.MAX_VALUE, 1);
    }

    /**
     * The n-th such call from now on fails, and those behind it.
     *
     * @param by the threads whose calls count
     * @param which the calls that count, by their names, such as {@code Link.publish}
     * @param what how it fails
     * @param nth which of the calls, from 1
     * @param so how many calls fail
     */
    public synchronized void arm(Predicate<Thread> by, Predicate<String> which, Kind what, int nth, int so) {
        loops = by;
        calls = which;
        kind = what;
        left = nth;
        times = so;
        where = null;
        first = null;
        met.clear();
    }

    /** From now on no call fails. */
    public synchronized void disarm() {
        loops = thread -> false;
        aimsAtNew = false;
        victims.clear();
    }

    /** The first call that failed since this was armed; null if it has not come. */
    public synchronized String where() {
        return where;
    }

    /** The first error since this was armed; null if none has come. */
    public synchronized Throwable first() {
        return first;
    }

    /** The calls that could have failed since this was armed. */
    public synchronized Set<String> met() {
        return new TreeSet<>(met);
    }

    /** How many links were handed out and are not freed. */
    public int linksOut() {
        return links.size() - freed.size();
    }

    /** The calls that came too late. */
    public synchronized Set<String> misuse() {
        return Set.copyOf(misuse);
    }

    private synchronized void failIfDue(String call) throws Throwable {
        if (!loops.test(Thread.currentThread())) {
            return;
        }
        met.add(call);
        if (times <= 0 || !calls.test(call) || --left > 0) {
            return;
        }
        Throwable made = kind.make();
        if (first == null) {
            where = call;
            first = made;
        }
        times--;
        throw made;
    }
}
