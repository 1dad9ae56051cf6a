// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs each test on a thread of its own, so that a test that hangs and does not obey an interrupt fails alone, and gives it a
 * limit by {@link MachineClock}: 30 seconds, or as many as {@link Seconds} says. JUnit's own limits use the wall
 * clock.
 */
public final class WithinLimit implements InvocationInterceptor {
    /** Another limit than the usual, for a test that does much. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Seconds {
        /** The limit. */
        int value();
    }

    private static final int USUAL_SECONDS = 30;

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        run(invocation, method.getExecutable());
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        run(invocation, method.getExecutable());
    }

    private static void run(Invocation<Void> invocation, Method method) throws Throwable {
        Seconds seconds = method.getAnnotation(Seconds.class);
        int limit = seconds == null ? USUAL_SECONDS : seconds.value();
        FutureTask<Throwable> test = new FutureTask<>(() -> thrownBy(invocation));
        Thread thread = new Thread(test, "test " + method.getName());
        thread.setDaemon(true);
        thread.start();
        Throwable thrown;
        try {
            thrown = MachineClock.get(test, limit);
        } catch (TimeoutException e) {
            Throwable where = new Throwable("the test's thread was here");
            where.setStackTrace(thread.getStackTrace());
            e.addSuppressed(where);
            thread.interrupt();
            throw e;
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    private static Throwable thrownBy(Invocation<Void> invocation) {
        try {
            invocation.proceed();
            return null;
        } catch (Throwable e) {
            return e; // the test's own, thrown again on JUnit's thread
        }
    }
}
