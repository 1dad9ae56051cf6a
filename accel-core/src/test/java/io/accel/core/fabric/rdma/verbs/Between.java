// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Hands each call of a library to a test, which may make it. */
final class Between implements Libraries.Interposer {
    private final Handler handler;

    /** Takes the calls. */
    @FunctionalInterface
    interface Handler {
        Object call(Object library, Method method, Object[] args) throws Throwable;
    }

    Between(Handler handler) {
        this.handler = handler;
    }

    @Override
    public <T> T between(Class<T> functions, T library) {
        return functions.cast(Proxy.newProxyInstance(
                functions.getClassLoader(),
                new Class<?>[] {functions},
                (proxy, method, args) -> handler.call(library, method, args)));
    }
}
