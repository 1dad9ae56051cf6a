// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Privileged;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A {@link MethodHandles.Lookup} that may use every member of every class, exported or not.
 *
 * <p>It lets Accel start with a property alone on the command line. Two ways lead to it, both through the module
 * {@code jdk.unsupported}: the serialization constructors of {@code ReflectionFactory}, which no JDK up to 25 warns
 * about, and {@code Unsafe}, which a JDK from 24 on deprecates with a line on standard error. Both are called by
 * reflection because javac warns about these classes in a way that cannot be suppressed.
 */
final class TrustedLookup implements Supplier<Optional<MethodHandles.Lookup>> {
    /** {@code MethodHandles.Lookup.TRUSTED}, the mode that skips access checks. */
    private static final int TRUSTED = -1;

    private static final String FACTORY = "getReflectionFactory";
    private static final String OPENING = "newConstructorForSerialization";

    /** From here on reflection calls methods by handles. */
    private static final int FIRST_WITH_HANDLES = 18;

    /** The class that it is for; null if it is for all. */
    private final Class<?> target;

    private final Throwable refused;

    /** An attempt, which is no lambda: linking one takes milliseconds while a process starts. */
    private TrustedLookup(Class<?> target, Throwable refused) {
        this.target = target;
        this.refused = refused;
    }

    /**
     * Returns the lookup, or empty when this JVM offers none (a run-time image without {@code jdk.unsupported}, or a
     * JDK that has closed both ways).
     *
     * @param refused collects the failure of each way that was tried
     */
    static Optional<MethodHandles.Lookup> find(Throwable refused) {
        return Privileged.get(new TrustedLookup(null, refused));
    }

    @Override
    public Optional<MethodHandles.Lookup> get() {
        try {
            return Optional.of(target == null ? byReflectionFactory() : byReflectionFactory(target));
        } catch (ReflectiveOperationException | RuntimeException e) {
            refused.addSuppressed(e);
        }
        try {
            return Optional.of(byUnsafe());
        } catch (ReflectiveOperationException | RuntimeException e) {
            refused.addSuppressed(e);
        }
        return Optional.empty();
    }

    /**
     * Returns a plain lookup if {@code target} is public and its package exported to us, else one that may use every member of it, at least.
     *
     * @throws IllegalAccessException if neither works; the ways tried are its suppressed exceptions
     */
    static MethodHandles.Lookup orPlain(Class<?> target) throws IllegalAccessException {
        Module ours = TrustedLookup.class.getModule();
        if (Modifier.isPublic(target.getModifiers()) && target.getModule().isExported(target.getPackageName(), ours)) {
            return MethodHandles.lookup();
        }
        return orRefused(target, target.getName() + " is not exported, and this JVM has no other way to it");
    }

    /**
     * Returns the trusted lookup.
     *
     * @param otherwise the message where this JVM offers none
     * @throws IllegalAccessException with that message; the ways tried are its suppressed exceptions
     */
    static MethodHandles.Lookup orRefused(String otherwise) throws IllegalAccessException {
        return orRefused(null, otherwise);
    }

    private static MethodHandles.Lookup orRefused(Class<?> target, String otherwise) throws IllegalAccessException {
        IllegalAccessException refused = new IllegalAccessException(otherwise);
        Optional<MethodHandles.Lookup> found = Privileged.get(new TrustedLookup(target, refused));
        if (found.isEmpty()) {
            throw refused;
        }
        return found.get();
    }

    /**
     * Returns an internal class of the JDK's.
     *
     * @throws ClassNotFoundException if this JDK has no class of the name
     */
    static Class<?> internal(String name) throws ClassNotFoundException {
        try {
            return Named.find(name);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** The search for a class of that name; no lambda, as above. */
    private record Named(String name) implements Privileged.Action<Class<?>> {
        static Class<?> find(String name) throws IOException {
            return Privileged.call(new Named(name));
        }

        @Override
        public Class<?> run() throws IOException {
            try {
                return Class.forName(name);
            } catch (ClassNotFoundException e) {
                throw new IOException(e);
            }
        }
    }

    /** Calls a constructor that skips access checks. */
    static MethodHandles.Lookup byReflectionFactory() throws ReflectiveOperationException {
        return (MethodHandles.Lookup)
                constructor(Class.class, Class.class, int.class).newInstance(Object.class, null, TRUSTED);
    }

    /** Calls the constructor that {@code MethodHandles.lookup()} calls; newer JDKs make a dozen classes fewer for it than for the other. */
    static MethodHandles.Lookup byReflectionFactory(Class<?> target) throws ReflectiveOperationException {
        return (MethodHandles.Lookup) constructor(Class.class).newInstance(target);
    }

    /** A constructor of the lookup's own, made accessible by the factory that serialization uses. */
    private static Constructor<?> constructor(Class<?>... parameters) throws ReflectiveOperationException {
        Class<?> factoryClass = Class.forName("sun.reflect.ReflectionFactory");
        Constructor<?> hidden = MethodHandles.Lookup.class.getDeclaredConstructor(parameters);
        return Runtime.version().feature() < FIRST_WITH_HANDLES
                ? byMethods(factoryClass, hidden)
                : byHandles(factoryClass, hidden);
    }

    private static Constructor<?> byMethods(Class<?> factoryClass, Constructor<?> hidden)
            throws ReflectiveOperationException {
        Object factory = factoryClass.getMethod(FACTORY).invoke(null);
        Method opening = factoryClass.getMethod(OPENING, Class.class, Constructor.class);
        return (Constructor<?>) opening.invoke(factory, MethodHandles.Lookup.class, hidden);
    }

    /** From JDK 18 on {@code Method.invoke} makes a dozen classes more than this, and a search for a method loads all that the others name. */
    private static Constructor<?> byHandles(Class<?> factoryClass, Constructor<?> hidden)
            throws ReflectiveOperationException {
        MethodHandles.Lookup anybodys = MethodHandles.publicLookup();
        MethodHandle factory = anybodys.findStatic(factoryClass, FACTORY, MethodType.methodType(factoryClass));
        MethodHandle opening = anybodys.findVirtual(
                factoryClass, OPENING, MethodType.methodType(Constructor.class, Class.class, Constructor.class));
        try {
            Object made = factory.asType(MethodType.methodType(Object.class)).invokeExact();
            return (Constructor<?>) opening.bindTo(made).invokeExact((Class<?>) MethodHandles.Lookup.class, hidden);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // they declare none
        }
    }

    /** Reads the constant {@code IMPL_LOOKUP}. */
    static MethodHandles.Lookup byUnsafe() throws ReflectiveOperationException {
        Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
        Object unsafe = unsafe(unsafeClass);
        Field constant = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
        Object base = unsafeClass.getMethod("staticFieldBase", Field.class).invoke(unsafe, constant);
        Object offset = unsafeClass.getMethod("staticFieldOffset", Field.class).invoke(unsafe, constant);
        Object lookup =
                unsafeClass.getMethod("getObject", Object.class, long.class).invoke(unsafe, base, offset);
        return (MethodHandles.Lookup) lookup;
    }

    /** The instance of {@code sun.misc.Unsafe}, whose module opens it to everybody. */
    static Object unsafe(Class<?> unsafeClass) throws ReflectiveOperationException {
        Field instance = unsafeClass.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        return instance.get(null);
    }
}
