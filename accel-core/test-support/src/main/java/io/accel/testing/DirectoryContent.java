// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The content of a directory in which Accel's threads make and remove files meanwhile. A {@link Files#walk} would fail there. */
public final class DirectoryContent {
    private DirectoryContent() {}

    /** All below it, each directory before what is in it. A file that goes meanwhile may be listed or not. */
    public static List<Path> of(Path top) throws IOException {
        List<Path> all = new ArrayList<>();
        Files.walkFileTree(top, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                if (!directory.equals(top)) {
                    all.add(directory);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                all.add(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException && !file.equals(top)) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        return all;
    }

    /** The content of a {@code shm.dir}, as {@link #of}, without the users' places, which come and go with what is in them. */
    public static List<Path> ofListeners(Path top) throws IOException {
        List<Path> all = of(top);
        all.removeIf(path -> path.getFileName().toString().matches("accel-g?[0-9]+"));
        return all;
    }

    /** Removes it with all below it. */
    public static void remove(Path top) throws IOException {
        List<Path> all = of(top);
        for (int i = all.size() - 1; i >= 0; i--) {
            Files.deleteIfExists(all.get(i));
        }
        Files.deleteIfExists(top);
    }
}
