// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.lang.reflect.Field;
import java.security.AllPermission;
import java.security.Permissions;
import java.security.ProtectionDomain;
import java.security.SecureClassLoader;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Puts a domain with all rights in the place of one that a class loader keeps. Loaded by {@link OwnRights}, in a loader of its own.
 * Public, since it is made from outside that loader.
 */
public final class OwnDomain implements BiConsumer<ClassLoader, ProtectionDomain> {
    private static final String DOMAINS = "pdcache";

    /** Made by {@link OwnRights}. */
    public OwnDomain() {}

    @Override
    @SuppressWarnings("unchecked") // the JDK's field
    public void accept(ClassLoader loader, ProtectionDomain known) {
        try {
            Field domains = SecureClassLoader.class.getDeclaredField(DOMAINS);
            domains.setAccessible(true);
            Permissions all = new Permissions();
            all.add(new AllPermission());
            ProtectionDomain own = new ProtectionDomain(known.getCodeSource(), all);
            for (Map.Entry<?, ProtectionDomain> each : ((Map<?, ProtectionDomain>) domains.get(loader)).entrySet()) {
                if (each.getValue().equals(known)) {
                    each.setValue(own);
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
