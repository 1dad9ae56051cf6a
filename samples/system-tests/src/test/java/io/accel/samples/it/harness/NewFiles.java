// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All files that were made below a directory, however short they existed: the kernel reports them (inotify). A new directory
 * is reported like a file; files that are made within it are not. For use by one thread.
 */
public final class NewFiles implements AutoCloseable {
    private final WatchService service;
    private final Map<WatchKey, Path> watched = new HashMap<>();
    private final List<String> seen = new ArrayList<>();

    private NewFiles(WatchService service) {
        this.service = service;
    }

    /** Begins to watch. */
    public static NewFiles below(Path directory) throws IOException {
        NewFiles files = new NewFiles(directory.getFileSystem().newWatchService());
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.filter(Files::isDirectory).toList()) {
                files.watched.put(each.register(files.service, StandardWatchEventKinds.ENTRY_CREATE), each);
            }
        } catch (IOException e) {
            files.close();
            throw e;
        }
        return files;
    }

    /** The paths of all files that were made so far. If the kernel could not keep them all, {@code OVERFLOW} is one of them. */
    public List<String> seen() {
        for (WatchKey key = service.poll(); key != null; key = service.poll()) {
            for (WatchEvent<?> event : key.pollEvents()) {
                seen.add(
                        event.context() == null
                                ? event.kind().name()
                                : watched.get(key)
                                        .resolve(event.context().toString())
                                        .toString());
            }
            boolean unused = key.reset(); // false if the directory is gone
        }
        return List.copyOf(seen);
    }

    @Override
    public void close() throws IOException {
        service.close();
    }
}
