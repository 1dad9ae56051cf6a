// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.profile.Profile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Loads all classes of Accel and of its tests, in a JVM whose descriptors run out: a class in a directory takes a descriptor to be
 * loaded, and a thread that finds none ends for that. The users' jar is open all the time.
 */
final class LoadedClasses {
    private static final String CLASS = ".class";

    private LoadedClasses() {}

    static void loadAll() throws Exception {
        loadClassesBeside(Profile.class);
        loadClassesBeside(StreamSocket.class);
        loadClassesBeside(LoadedClasses.class);
    }

    private static void loadClassesBeside(Class<?> one) throws Exception {
        Path root =
                Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(root)) {
            for (Path each : (Iterable<Path>) files::iterator) {
                String name = root.relativize(each).toString();
                if (name.endsWith(CLASS) && name.startsWith("io/accel/")) {
                    load(name.substring(0, name.length() - CLASS.length()).replace('/', '.'));
                }
            }
        }
    }

    private static void load(String name) {
        try {
            Class<?> unused = Class.forName(name, false, LoadedClasses.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return; // a test's, of a library that is not here
        }
    }
}
