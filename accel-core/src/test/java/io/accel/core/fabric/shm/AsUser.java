// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.testing.Background;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import jnr.ffi.LibraryLoader;

/**
 * Does something as another user, in a thread of its own: to the kernel each thread has a user, and only the C library makes
 * it the user of the whole process. Needs root.
 */
final class AsUser {
    static final int NOBODY = 65_534;

    private static final long KEEP = -1;
    /** The numbers of setresuid, setresgid and setgroups. */
    private static final Map<String, long[]> CALLS =
            Map.of("amd64", new long[] {117, 119, 116}, "aarch64", new long[] {147, 149, 159});

    /** Public, because the library generates a class from it. */
    public interface Functions {
        long syscall(long number, long first, long second, long third);
    }

    private AsUser() {}

    /** Whether this process can. */
    static boolean isPossible() {
        return Ownership.self() == 0 && CALLS.containsKey(System.getProperty("os.arch"));
    }

    /** Runs the action, and throws its exception. */
    static <T> T call(int user, int group, Callable<T> work) throws Exception {
        Functions libc = LibraryLoader.create(Functions.class).load("c");
        long[] numbers = CALLS.get(System.getProperty("os.arch"));
        Background<T> thread = Background.start(() -> {
            long failed = libc.syscall(numbers[2], 0, 0, 0)
                    | libc.syscall(numbers[1], KEEP, group, KEEP)
                    | libc.syscall(numbers[0], KEEP, user, KEEP);
            if (failed != 0) {
                throw new AssertionError("cannot become the user " + user);
            }
            return work.call(); // nothing but this thread is that user, and it ends
        });
        try {
            return thread.get(20, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
