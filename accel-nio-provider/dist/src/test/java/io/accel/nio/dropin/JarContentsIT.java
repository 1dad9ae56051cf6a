// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;

/** The contents of the drop-in jar. Nothing in it may be mistaken by a program for its own library. */
class JarContentsIT {
    /** No package has such a name, so no class loader finds a class there by itself. */
    private static final String RDMA = "META-INF/accel/rdma/";

    @Test
    void everythingIsUnderOurOwnPackage() throws IOException {
        assertThat(entries())
                .hasSizeGreaterThan(100)
                .allMatch(name -> name.startsWith("io/accel/")
                        || List.of(
                                        RDMA + "libraries.jar",
                                        RDMA + "NOTICE",
                                        "META-INF/MANIFEST.MF",
                                        "META-INF/LICENSE",
                                        "META-INF/NOTICE",
                                        "META-INF/services/io.accel.core.observe.metrics.MetricsPage")
                                .contains(name));
    }

    @Test
    void everyModuleIsInIt() throws IOException {
        assertThat(entries())
                .contains(
                        "io/accel/nio/agent/AccelAgent.class",
                        "io/accel/nio/cli/AccelMain.class",
                        "io/accel/core/jdk/JdkAccess.class",
                        "io/accel/metrics/AccelMetrics.class",
                        "io/accel/nio/AccelSelectorProvider.class",
                        "io/accel/profile/Profile.class",
                        "io/accel/shaded/picocli/CommandLine.class");
    }

    @Test
    void nativeCodeForLinuxAndItsLicensesAreAsideForRdma() throws IOException {
        List<String> aside = new ArrayList<>();
        try (JarFile jar = new JarFile(Child.JAR.toFile());
                ZipInputStream libraries =
                        new ZipInputStream(jar.getInputStream(jar.getEntry(RDMA + "libraries.jar")))) {
            for (ZipEntry each = libraries.getNextEntry(); each != null; each = libraries.getNextEntry()) {
                aside.add(each.getName());
            }
        }
        assertThat(aside)
                .contains("jnr/ffi/LibraryLoader.class", "com/kenai/jffi/Invoker.class")
                .contains("org/objectweb/asm/ClassWriter.class")
                .doesNotContain("module-info.class")
                .allMatch(name -> name.matches("(jnr|com/kenai|org/objectweb/asm)/.*\\.class|jni/.*"));
        assertThat(aside.stream().filter(name -> name.startsWith("jni/")))
                .containsExactlyInAnyOrder("jni/x86_64-Linux/libjffi-1.2.so", "jni/aarch64-Linux/libjffi-1.2.so");
    }

    /** What a JVM does for each entry when it opens a jar, and for each class that it loads from it, is a good part of Accel's start. */
    @Test
    void aJvmInflatesNothingAndMeetsNoDirectories() throws IOException {
        try (JarFile jar = new JarFile(Child.JAR.toFile())) {
            assertThat(jar.stream())
                    .allMatch(entry -> entry.getMethod() == ZipEntry.STORED)
                    .noneMatch(ZipEntry::isDirectory);
        }
    }

    /** As who reads the jar as a stream expects it. */
    @Test
    void theManifestIsFound() throws IOException {
        try (JarInputStream jar = new JarInputStream(Files.newInputStream(Child.JAR))) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class"))
                    .isNotBlank();
        }
    }

    @Test
    void theManifestMakesItACommandLineAndAnAgent() throws IOException {
        try (JarFile jar = new JarFile(Child.JAR.toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();
            assertThat(manifest.getValue("Main-Class")).isEqualTo("io.accel.nio.cli.AccelMain");
            assertThat(manifest.getValue("Premain-Class")).isEqualTo("io.accel.nio.agent.AccelAgent");
            assertThat(manifest.getValue("Agent-Class")).isEqualTo("io.accel.nio.agent.AccelAgent");
            assertThat(manifest.getValue("Can-Redefine-Classes")).isEqualTo("true");
            assertThat(manifest.getValue("Add-Exports")).isEqualTo("java.base/sun.nio.ch");
            assertThat(manifest.getValue("Automatic-Module-Name")).isEqualTo("io.accel");
            assertThat(manifest.getValue("Implementation-Version")).isNotBlank();
        }
    }

    private static List<String> entries() throws IOException {
        try (JarFile jar = new JarFile(Child.JAR.toFile())) {
            return jar.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .toList();
        }
    }
}
