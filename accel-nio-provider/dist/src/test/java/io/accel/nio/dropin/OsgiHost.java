// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

/** A program that knows nothing of Accel: starts the OSGi framework that it finds, and in it the bundle that it is given. */
final class OsgiHost {
    private static final long LIMIT_MILLIS = 20_000;

    private OsgiHost() {}

    public static void main(String[] args) throws Exception {
        FrameworkFactory factory =
                ServiceLoader.load(FrameworkFactory.class).findFirst().orElseThrow();
        Framework framework = factory.newFramework(Map.of("org.osgi.framework.storage", args[1]));
        framework.start();
        try {
            framework
                    .getBundleContext()
                    .installBundle(Path.of(args[0]).toUri().toString())
                    .start();
        } finally {
            framework.stop();
            System.out.println("stopped " + (framework.waitForStop(LIMIT_MILLIS).getType() != 0));
        }
    }
}
