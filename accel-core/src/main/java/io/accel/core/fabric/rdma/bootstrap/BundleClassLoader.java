// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.bootstrap;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.security.ProtectionDomain;

/**
 * Defines the packages that link to jnr-ffi, and jnr-ffi with all its needs, for itself; everything else is left to
 * its parent. The classes of jnr-ffi come from the bundle; those of the packages come from the parent's own copies. A package belongs to this loader as a whole or not at all,
 * so that package-private access works.
 */
final class BundleClassLoader extends ClassLoader {
    private static final String FABRIC = "io.accel.core.fabric.rdma";
    private static final String VERBS = FABRIC + ".verbs";

    static {
        registerAsParallelCapable();
    }

    private final ClassLoader parent;
    private final Bundle bundle;
    private final ProtectionDomain domain = BundleClassLoader.class.getProtectionDomain();

    /**
     * Makes a loader over a bundle.
     *
     * @param parent the loader that has the bundle and the rest of Accel
     * @param bundle jnr-ffi and its needs
     */
    BundleClassLoader(ClassLoader parent, Bundle bundle) {
        super("accel-rdma", parent);
        this.parent = parent;
        this.bundle = bundle;
        // On the module path the fabric's classes are outside of Accel's module here, and use internal packages of it.
        Module accel = BundleClassLoader.class.getModule();
        if (accel.isNamed()) {
            accel.getPackages().forEach(each -> accel.addExports(each, getUnnamedModule()));
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isBundled(name) && !isOfTheFabric(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            if (found == null) {
                found = findClass(name);
            }
            if (resolve) {
                resolveClass(found);
            }
            return found;
        }
    }

    private static boolean isBundled(String name) {
        return name.startsWith("jnr.") || name.startsWith("com.kenai.") || name.startsWith("org.objectweb.asm.");
    }

    private static boolean isOfTheFabric(String name) {
        int dot = name.lastIndexOf('.');
        String ofPackage = dot < 0 ? "" : name.substring(0, dot);
        return ofPackage.equals(FABRIC) || ofPackage.equals(VERBS);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/') + ".class";
        try {
            byte[] bytes = isBundled(name) ? bundle.read(file) : ofParent(file);
            if (bytes == null) {
                throw new ClassNotFoundException(
                        name + " (no " + file + (isBundled(name) ? " in " + Bundle.FILE : "") + ")");
            }
            return defineClass(name, bytes, 0, bytes.length, domain);
        } catch (IOException e) {
            throw new ClassNotFoundException(name + " (reading " + file + " failed)", e);
        }
    }

    private byte[] ofParent(String file) throws IOException {
        try (InputStream in = parent.getResourceAsStream(file)) {
            return in == null ? null : in.readAllBytes();
        }
    }

    /** For jnr-ffi, which finds the class of its finalizing thread so. */
    @Override
    protected URL findResource(String name) {
        try {
            return bundle.find(name);
        } catch (IOException e) {
            return null; // as the method has it; the bundle's classes name the error
        }
    }
}
