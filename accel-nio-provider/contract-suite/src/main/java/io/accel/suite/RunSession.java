// SPDX-License-Identifier: Apache-2.0
package io.accel.suite;

import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets the JVM up for the {@link Run} that the system property {@code contract.run} names, before JUnit looks for tests. So Maven and
 * an IDE need only the name. Settings that were given to the JVM itself stay. Without the property nothing is done.
 */
public final class RunSession implements LauncherSessionListener {
    private static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";

    /** For JUnit, which finds it as a service. */
    public RunSession() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        String name = System.getProperty("contract.run");
        if (name == null) {
            return;
        }
        for (Map.Entry<String, String> each : Run.of(name).properties().entrySet()) {
            if (System.getProperty(each.getKey()) == null) {
                System.setProperty(each.getKey(), each.getValue());
            }
        }
        assertInTime();
    }

    /** A JVM has one provider, from the first use on. */
    private static void assertInTime() {
        String provider = SelectorProvider.provider().getClass().getName();
        String wanted = System.getProperty(PROVIDER, provider);
        if (!provider.equals(wanted)) {
            throw new IllegalStateException("this JVM has " + provider + " already, and cannot have " + wanted);
        }
    }
}
