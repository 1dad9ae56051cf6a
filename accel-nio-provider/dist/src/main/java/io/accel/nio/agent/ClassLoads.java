// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells whether the JVM had loaded a class of the JDK's before the agent came. It loads the class, without initialising it, and looks
 * whether the JVM does that now. To list all classes that are loaded takes longer, and a JVM that checks native code ({@code -Xcheck:jni})
 * warns of the list.
 */
final class ClassLoads {
    /** The classes that were not loaded when they were asked about. Guarded by this class. */
    private static final Set<String> LOADED_HERE = new HashSet<>();

    private ClassLoads() {}

    /**
     * Whether a class was loaded before this was first asked about it.
     *
     * @param name of a class of the boot loader's
     */
    static synchronized boolean wasLoaded(Instrumentation instrumentation, String name) {
        if (LOADED_HERE.contains(name)) {
            return false;
        }
        Watch watch = new Watch(name.replace('.', '/'));
        instrumentation.addTransformer(watch);
        try {
            Class<?> unused = Class.forName(name, false, null);
        } catch (ClassNotFoundException e) {
            return false; // this JDK has none of that name
        } finally {
            instrumentation.removeTransformer(watch);
        }
        if (watch.isLoadedNow) {
            LOADED_HERE.add(name);
        }
        return !watch.isLoadedNow;
    }

    /** Changes nothing. */
    private static final class Watch implements ClassFileTransformer {
        private final String name;
        private volatile boolean isLoadedNow;

        Watch(String name) {
            this.name = name;
        }

        @Override
        public byte[] transform(
                Module module,
                ClassLoader loader,
                String loaded,
                Class<?> redefined,
                ProtectionDomain domain,
                byte[] classFile) {
            if (loader == null && redefined == null && name.equals(loaded)) {
                isLoadedNow = true;
            }
            return null;
        }
    }
}
