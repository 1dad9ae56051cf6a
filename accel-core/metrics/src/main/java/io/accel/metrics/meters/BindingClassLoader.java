// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/**
 * Defines {@link MicrometerBinding} for one registry: with Micrometer's classes from the registry's class loader, and
 * with Accel's from this class's. With the agent Accel is on the system class path, which cannot see the Micrometer
 * of an application in nested jars.
 */
public final class BindingClassLoader extends ClassLoader {
    private static final String BINDING = "io.accel.metrics.meters.MicrometerBinding";
    private static final String ACCEL = "io.accel.";

    private final ClassLoader own = BindingClassLoader.class.getClassLoader();

    private BindingClassLoader(ClassLoader ofRegistry) {
        super("accel-metrics", ofRegistry);
        // On the module path the binding is outside of Accel's module, which exports nothing of this package to others.
        Class<?> here = BindingClassLoader.class;
        here.getModule().addExports(here.getPackageName(), getUnnamedModule());
    }

    /**
     * Makes the object that registers the meters with such a registry.
     *
     * @param registry the class of a Micrometer registry
     */
    @SuppressWarnings("unchecked") // MicrometerBinding takes any object
    public static Consumer<Object> bindingFor(Class<?> registry) {
        try {
            return (Consumer<Object>) new BindingClassLoader(registry.getClassLoader())
                    .loadClass(BINDING)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Accel's metrics cannot be bound to a " + registry.getName(), e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(ACCEL)) {
            return super.loadClass(name, resolve);
        }
        if (!name.startsWith(BINDING)) {
            return own.loadClass(name);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            return found != null ? found : findClass(name);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        try (InputStream in = own.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length, BindingClassLoader.class.getProtectionDomain());
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
