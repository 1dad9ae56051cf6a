// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Shortage;
import io.accel.core.jdk.OpenFiles;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds out why a connection's file could not be made, and what to do about it. An exception's message is the C
 * library's, in the user's language; so the system is asked where the type does not tell.
 */
final class FileFailure {
    private FileFailure() {}

    /**
     * Returns the reason to go through the kernel.
     *
     * @param e the exception of the attempt
     * @param file the file that could not be made
     * @param size its intended size
     */
    static FallbackException of(IOException e, Path file, long size) {
        Path directory = file.getParent().getParent();
        String what = "making " + file + " failed: ";
        if (e instanceof AccessDeniedException) {
            return new FallbackException(
                    FallbackReason.SHM_DIR, what + e + "; let user " + Ownership.self() + " make files there");
        }
        if (e.getCause() instanceof OutOfMemoryError) {
            return Shortage.of(
                    FallbackReason.NO_RESOURCES,
                    what + e + "; see how much memory this process may map, and in how many pieces (vm.max_map_count)");
        }
        if (!OpenFiles.canOpen()) {
            return Shortage.of(
                    FallbackReason.NO_RESOURCES,
                    what + e + "; this process can open no file at all, so raise its limit of open files (ulimit -n)");
        }
        FileStore store = store(directory);
        if (store != null && store.isReadOnly()) {
            return new FallbackException(
                    FallbackReason.SHM_DIR, what + e + "; " + store + " is read-only, so mount it for writing");
        }
        if (isFull(e) || hasLessThan(size, store)) {
            return Shortage.of(
                    FallbackReason.SHM_FULL,
                    "allocating " + size + " bytes in " + directory + " failed: " + e.getMessage()
                            + "; make it larger, or ring.initial smaller");
        }
        return new FallbackException(FallbackReason.SHM_DIR, what + e);
    }

    /** Goes by the message, if it is in English; for other languages the file system is asked. */
    static boolean isFull(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains("No space left") || message.contains("quota");
    }

    private static FileStore store(Path directory) {
        try {
            return Files.getFileStore(directory);
        } catch (IOException e) {
            return null; // not even that is known
        }
    }

    private static boolean hasLessThan(long size, FileStore store) {
        try {
            return store != null && store.getUsableSpace() < size;
        } catch (IOException e) {
            return false;
        }
    }
}
