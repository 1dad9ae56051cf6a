// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** Jars, and directories, with some of the tests' classes. */
final class TestJar {
    private TestJar() {}

    /**
     * Makes a jar.
     *
     * @param file to be made
     * @param attributes of its manifest
     * @param classes top-level ones; those within them come along
     */
    static Path of(Path file, Map<String, String> attributes, Class<?>... classes) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file), manifest)) {
            for (Path each : files(classes)) {
                jar.putNextEntry(
                        new JarEntry(Child.testClasses().relativize(each).toString()));
                Files.copy(each, jar);
                jar.closeEntry();
            }
        }
        return file;
    }

    /** Copies classes into a directory of classes. */
    static void copy(Path to, Class<?>... classes) throws IOException {
        for (Path each : files(classes)) {
            Path copy = to.resolve(Child.testClasses().relativize(each));
            Files.createDirectories(copy.getParent());
            Files.copy(each, copy);
        }
    }

    private static List<Path> files(Class<?>... classes) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Class<?> each : classes) {
            Path directory = Child.testClasses().resolve(each.getPackageName().replace('.', '/'));
            String name = each.getSimpleName();
            try (Stream<Path> all = Files.list(directory)) {
                all.filter(file -> file.getFileName().toString().matches(name + "(\\$.*)?\\.class"))
                        .forEach(files::add);
            }
        }
        return files;
    }
}
