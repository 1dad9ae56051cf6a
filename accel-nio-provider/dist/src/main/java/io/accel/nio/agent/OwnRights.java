// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.security.AllPermission;
import java.security.Permissions;
import java.security.ProtectionDomain;
import java.security.SecureClassLoader;
import java.util.Map;

/**
 * Gives the classes of Accel's jar rights of their own. Otherwise a program that installs a {@code SecurityManager} while it runs has a
 * policy that knows nothing of Accel, and Accel's classes could do nothing from then on: not even the program's first channel would open.
 *
 * <p>A class gets its rights when it is loaded, from the domain that its loader keeps for its jar. So this runs before other classes of
 * Accel's are loaded. A manager that is there from the start decides about Accel as about all code.
 */
final class OwnRights {
    /** The field of {@link SecureClassLoader} that has the domains, by where their code comes from. */
    private static final String DOMAINS = "pdcache";

    private OwnRights() {}

    /**
     * Takes the rights, for all classes of the jar that are not loaded yet.
     *
     * @throws IOException if this JVM does not let it do so
     */
    static void take() throws IOException {
        ProtectionDomain known = OwnRights.class.getProtectionDomain();
        Permissions all = new Permissions();
        all.add(new AllPermission());
        ProtectionDomain own = new ProtectionDomain(known.getCodeSource(), all);
        try {
            for (Map.Entry<?, ProtectionDomain> each :
                    domains(OwnRights.class.getClassLoader()).entrySet()) {
                if (each.getValue().equals(known)) {
                    each.setValue(own);
                }
            }
        } catch (ClassNotFoundException e) {
            // Without that class's module the agent stays away altogether, and says so.
        } catch (Throwable e) {
            throw new IOException(e.toString(), e);
        }
    }

    /**
     * The domains that a loader keeps. They are reached as {@code TrustedLookup} reaches what the JDK keeps for itself, but not by that: it
     * would be loaded here, without these rights.
     */
    @SuppressWarnings("unchecked") // the JDK's field
    private static Map<?, ProtectionDomain> domains(ClassLoader loader) throws Throwable {
        Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
        Constructor<?> hidden = MethodHandles.Lookup.class.getDeclaredConstructor(Class.class);
        Constructor<?> constructor = (Constructor<?>) factory.getMethod(
                        "newConstructorForSerialization", Class.class, Constructor.class)
                .invoke(factory.getMethod("getReflectionFactory").invoke(null), MethodHandles.Lookup.class, hidden);
        MethodHandles.Lookup lookup = (MethodHandles.Lookup) constructor.newInstance(SecureClassLoader.class);
        return (Map<?, ProtectionDomain>)
                lookup.findGetter(SecureClassLoader.class, DOMAINS, Map.class).invoke((SecureClassLoader) loader);
    }
}
