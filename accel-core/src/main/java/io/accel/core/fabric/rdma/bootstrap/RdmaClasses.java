// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.bootstrap;

import io.accel.FallbackReason;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import java.io.IOException;
import java.lang.reflect.Method;

/**
 * Loads the classes that link to jnr-ffi: with the bundle of the drop-in jar if Accel comes in that, otherwise with
 * the jnr-ffi of the class path. They are loaded once, and a failure is permanent. Thread-safe.
 */
public final class RdmaClasses {
    private static final String FABRIC = "io.accel.core.fabric.rdma.RdmaFabric";
    private static final String JFFI_LIBRARY = "io.accel.core.fabric.rdma.verbs.JffiLibrary";

    private static ClassLoader loader;
    private static String failure;

    private RdmaClasses() {}

    /**
     * Loads a class of {@code core.fabric.rdma} or of its {@code verbs}, whether there is a device or not. It is for
     * tools. The class, and those that it names, differ from the ones that a tool's own class loader would give.
     *
     * @param name the binary name
     * @return the class
     * @throws FallbackException with {@link FallbackReason#NO_LIBRARY} if it cannot be loaded
     */
    public static Class<?> load(String name) throws FallbackException {
        try {
            return Class.forName(name, true, loader());
        } catch (ClassNotFoundException | LinkageError e) {
            throw unusable(e);
        }
    }

    static Fabric newFabric(RdmaConfig config) throws FallbackException {
        try {
            return (Fabric) load(FABRIC).getConstructor(RdmaConfig.class).newInstance(config);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw unusable(e);
        }
    }

    /** Describes classes that cannot be loaded or do not fit together. */
    static FallbackException unusable(Throwable e) {
        return new FallbackException(
                FallbackReason.NO_LIBRARY,
                "the classes of the rdma fabric cannot be loaded: " + e + "; is jnr-ffi missing from the class path, or"
                        + " incomplete? accel.jar has all of it");
    }

    private static synchronized ClassLoader loader() throws FallbackException {
        if (failure != null) {
            throw new FallbackException(FallbackReason.NO_LIBRARY, failure);
        }
        if (loader == null) {
            try {
                loader = open(RdmaClasses.class.getClassLoader());
            } catch (FallbackException e) {
                failure = e.getMessage();
                throw e;
            }
        }
        return loader;
    }

    private static ClassLoader open(ClassLoader own) throws FallbackException {
        Bundle bundle = new Bundle(own);
        if (!bundle.exists()) {
            return own;
        }
        ClassLoader bundled = new BundleClassLoader(own, bundle);
        try {
            Class<?> library = Class.forName(JFFI_LIBRARY, true, bundled);
            Method load = library.getMethod("load", String.class);
            JffiFile.load(bundle, path -> load.invoke(null, path));
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.NO_LIBRARY, e.getMessage());
        } catch (ReflectiveOperationException | LinkageError e) {
            throw unusable(e);
        }
        return bundled;
    }
}
