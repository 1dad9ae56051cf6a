// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Gives the classes of Accel's jar rights of their own. Otherwise a program that installs a {@code SecurityManager} while it runs has a
 * policy that knows nothing of Accel, and Accel's classes could do nothing from then on: not even the program's first channel would open.
 *
 * <p>A class gets its rights when it is loaded, from the domain that its loader keeps for its jar. So this runs before other classes of
 * Accel's are loaded. A manager that is there from the start decides about Accel as about all code.
 */
final class OwnRights {
    private static final int LAST_WITH_MANAGERS = 23;
    private static final int LAST_THAT_ALLOWS_THEM = 17;
    private static final String SECURITY = "java.security";

    private OwnRights() {}

    /** Whether a program in this JVM may install a manager, where none is now. */
    static boolean mayBeNeeded() {
        int feature = Runtime.version().feature();
        String said = System.getProperty("java.security.manager");
        return feature <= LAST_THAT_ALLOWS_THEM
                ? !"disallow".equals(said)
                : feature <= LAST_WITH_MANAGERS && "allow".equals(said);
    }

    /**
     * Takes the rights, for all classes of the jar that are not loaded yet.
     *
     * @throws IOException if this JVM does not let it do so
     */
    static void take(Instrumentation instrumentation) throws IOException {
        Carrier carrier = new Carrier();
        instrumentation.redefineModule(
                Object.class.getModule(),
                Set.of(),
                Map.of(),
                Map.of(SECURITY, Set.of(carrier.getUnnamedModule())),
                Set.of(),
                Map.of());
        try {
            carrier.replacement().accept(OwnRights.class.getClassLoader(), OwnRights.class.getProtectionDomain());
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            throw new IOException(e.toString(), e);
        }
    }

    /** The loader of one class. The JDK's package is opened to that class alone. */
    private static final class Carrier extends ClassLoader {
        Carrier() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @SuppressWarnings("unchecked") // the class is the one below
        BiConsumer<ClassLoader, ProtectionDomain> replacement() throws IOException, ReflectiveOperationException {
            String name = OwnDomain.class.getName();
            try (InputStream file = OwnRights.class.getResourceAsStream("OwnDomain.class")) {
                byte[] bytes = file.readAllBytes();
                return (BiConsumer<ClassLoader, ProtectionDomain>) defineClass(name, bytes, 0, bytes.length)
                        .getDeclaredConstructor()
                        .newInstance();
            }
        }
    }
}
