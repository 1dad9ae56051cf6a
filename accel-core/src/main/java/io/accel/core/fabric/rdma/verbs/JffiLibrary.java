// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.lang.reflect.Field;

/** jffi's native library, when Accel brings jnr-ffi along in a class loader of its own. */
public final class JffiLibrary {
    private JffiLibrary() {}

    /**
     * Loads the library for this class's loader, and tells jffi so. By itself jffi would first have the program's own
     * jffi load its library, and then take any library of that name on the program's class path for its own.
     *
     * @param file the library's path
     * @throws ReflectiveOperationException if this is not the jffi that Accel knows
     */
    public static void load(String file) throws ReflectiveOperationException {
        System.load(file);
        Field loaded = Class.forName("com.kenai.jffi.Init").getDeclaredField("loaded");
        loaded.setAccessible(true);
        loaded.setBoolean(null, true);
    }
}
