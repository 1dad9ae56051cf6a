// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.bootstrap;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * jffi's native library as a file, for the moment that it takes to load it: the system's loader takes nothing but
 * files. jffi would do the same, but prefers any library of that name that the program brings along, of whichever
 * version.
 */
final class JffiFile {
    private static final String NAME = "libjffi-1.2.so";

    private static final int MOST_TRIES = 8;

    /** Loads a file into the right class loader. */
    interface Loading {
        void load(String path) throws ReflectiveOperationException;
    }

    private JffiFile() {}

    /**
     * Unpacks the library, loads it, and removes the file, in the first directory where that works.
     *
     * @param bundle has the library
     * @param loading loads the file
     * @throws IOException with the remedy, if it works nowhere, or if there is no library for this processor
     */
    static void load(Bundle bundle, Loading loading) throws IOException {
        String name = "jni/" + processor() + "-Linux/" + NAME;
        byte[] library = bundle.read(name);
        if (library == null) {
            throw new IOException(
                    "there is no " + name + " in " + Bundle.FILE + ": RDMA works on Linux, x86_64 and aarch64");
        }
        StringBuilder tried = new StringBuilder();
        for (Path directory : directories()) {
            String failure = tryIn(directory, library, loading);
            if (failure == null) {
                return;
            }
            tried.append("; ").append(directory).append(": ").append(failure);
        }
        throw new IOException("jffi's native library cannot be loaded" + tried
                + ". It needs, for a moment, a file in a directory that can be written and executed from:"
                + " -Djava.io.tmpdir names one; a JVM with --illegal-native-access=deny needs"
                + " --enable-native-access=ALL-UNNAMED");
    }

    private static Set<Path> directories() {
        Set<Path> directories = new LinkedHashSet<>();
        directories.add(Path.of(System.getProperty("java.io.tmpdir")));
        String perUser = System.getenv("XDG_RUNTIME_DIR");
        if (perUser != null && !perUser.isEmpty()) {
            directories.add(Path.of(perUser));
        }
        directories.add(Path.of(System.getProperty("user.dir")));
        return directories;
    }

    /** Returns null, or the reason of the failure. */
    private static String tryIn(Path directory, byte[] library, Loading loading) throws IOException {
        Path file;
        try {
            file = create(directory);
        } catch (IOException e) {
            return e.toString();
        }
        try {
            Files.write(file, library);
            loading.load(file.toString());
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause().toString();
        } catch (IOException | ReflectiveOperationException e) {
            return e.toString();
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /**
     * Makes a file exclusively, and for this user alone, as {@link Files#createTempFile} does, which leaves two descriptors open for good for
     * its random names.
     */
    private static Path create(Path directory) throws IOException {
        String name = "accel-jffi-" + ProcessHandle.current().pid() + "-";
        for (int tries = 1; ; tries++) {
            long random = ThreadLocalRandom.current().nextLong();
            try {
                return Files.createFile(
                        directory.resolve(name + Long.toHexString(random) + ".so"),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            } catch (FileAlreadyExistsException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }

    private static String processor() {
        String processor = System.getProperty("os.arch", "unknown").toLowerCase(Locale.ROOT);
        return processor.equals("amd64") ? "x86_64" : processor;
    }
}
