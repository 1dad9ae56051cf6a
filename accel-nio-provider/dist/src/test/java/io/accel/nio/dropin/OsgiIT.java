// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.RealProgram;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A bundle, whose class loader sees nothing of the class path, and so nothing of Accel. */
@RealProgram(
        name = "Equinox, an OSGi framework",
        artifact = "org.eclipse.platform:org.eclipse.osgi",
        how = "a bundle of channels and sockets, with the agent and with the property")
@Timeout(120)
class OsgiIT {
    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aBundleIsAccelerated(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(), "")).containsExactlyElementsOf(expected(true, true));
        assertThat(run(jdk, List.of(Child.PROVIDER), Child.JAR.toString()))
                .containsExactlyElementsOf(expected(true, false));
        assertThat(run(jdk, List.of("-javaagent:" + Child.JAR), "")).containsExactlyElementsOf(expected(false, false));
    }

    private static List<String> expected(boolean areSocketsTheKernels, boolean areChannelsTheKernels) {
        return List.of(
                "loader org.eclipse.osgi.internal.loader.EquinoxClassLoader",
                CarriedOnce.said("sockets", areSocketsTheKernels),
                CarriedOnce.said("channels", areChannelsTheKernels),
                "stopped true");
    }

    private List<String> run(Path jdk, List<String> options, String more) throws Exception {
        Path home = Files.createTempDirectory(dir, "osgi");
        Path bundle = TestJar.of(
                home.resolve("bundle.jar"),
                Map.of(
                        "Bundle-ManifestVersion", "2",
                        "Bundle-SymbolicName", "carried",
                        "Bundle-Activator", CarriedInBundle.class.getName(),
                        "Import-Package", "org.osgi.framework"),
                CarriedInBundle.class,
                CarriedOnce.class);
        // The host is not in a directory with the bundle's classes, which nobody shall find on the class path.
        Path host = TestJar.of(home.resolve("host.jar"), Map.of(), OsgiHost.class);
        String classPath =
                String.join(File.pathSeparator, host.toString(), Child.libraries("/org.eclipse.osgi/"), more);
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("-cp", classPath));
        return Child.linesOf(
                dir,
                Child.accelerated(
                        jdk,
                        all,
                        OsgiHost.class,
                        bundle.toString(),
                        home.resolve("storage").toString()));
    }
}
