// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Daemons;
import io.accel.core.fabric.FallbackException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The number of the group of {@code shm.group}, which may be named. A name service may take minutes to say which group has the name, so a
 * thread of its own asks, once for each name, and the others do not wait for it for long. Any thread.
 */
final class GroupNumber {
    /** How long a listener waits for a name service, so that it is not without shared memory for good because that is slow. */
    static final long PATIENCE_MILLIS = 2_000;

    private static final int MOST_DIGITS = 10;
    private static final long GREATEST = (1L << Integer.SIZE) - 1;

    /** After this time it is asked again for a group that there was not. */
    private static final long KEEP_NANOS = 10_000_000_000L;

    /**
     * A question, with its answer.
     *
     * @param answer completed by the thread that asks for it
     * @param at when it was asked, as {@link System#nanoTime}
     */
    private record Asked(CompletableFuture<Long> answer, long at) {}

    /** The questions by name. */
    private static final ConcurrentMap<String, Asked> KNOWN = new ConcurrentHashMap<>();

    /** Asks the system. */
    interface NameService {
        /**
         * Returns the number of a group.
         *
         * @throws UserPrincipalNotFoundException if there is no such group
         */
        long numberOf(String group) throws IOException;
    }

    private GroupNumber() {}

    /**
     * Returns the number of a group.
     *
     * @param group its name or number
     * @param patienceMillis how long to wait for a name service
     * @throws FallbackException if there is no such group; or, for a moment, if the system has not said so far
     */
    static long of(String group, long patienceMillis) throws FallbackException {
        return of(group, patienceMillis, GroupNumber::look);
    }

    static long of(String group, long patienceMillis, NameService names) throws FallbackException {
        if (isNumber(group)) {
            return Long.parseLong(group);
        }
        Asked known = KNOWN.get(group);
        if (known == null) {
            known = ask(group, names);
        }
        try {
            return await(known.answer, patienceMillis);
        } catch (TimeoutException e) {
            throw new FallbackException(
                    FallbackReason.SHM_DIR,
                    "the name service has not said yet which number the group '" + group
                            + "' (shm.group) has; shm.group may be a number, for which no service is asked",
                    true);
        } catch (ExecutionException e) {
            if (System.nanoTime() - known.at > KEEP_NANOS) {
                KNOWN.remove(group, known); // somebody may have added the group
            }
            throw new FallbackException(
                    FallbackReason.SHM_DIR,
                    e.getCause() instanceof UserPrincipalNotFoundException
                            ? "this system has no group '" + group + "' (shm.group)"
                            : "looking up the group '" + group + "' (shm.group) failed: " + e.getCause());
        }
    }

    /** An interrupt is meant for another wait, and is kept for that. */
    private static long await(CompletableFuture<Long> known, long millis) throws TimeoutException, ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return known.get(millis, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isNumber(String group) {
        return !group.isEmpty()
                && group.length() <= MOST_DIGITS
                && group.chars().allMatch(c -> c >= '0' && c <= '9')
                && Long.parseLong(group) <= GREATEST;
    }

    private static Asked ask(String group, NameService names) throws FallbackException {
        Asked asked = new Asked(new CompletableFuture<>(), System.nanoTime());
        Asked other = KNOWN.putIfAbsent(group, asked);
        if (other != null) {
            return other;
        }
        try {
            Daemons.start("accel-group", () -> answer(group, names, asked.answer));
        } catch (OutOfMemoryError | SecurityException e) {
            KNOWN.remove(group, asked);
            throw new FallbackException(
                    FallbackReason.NO_RESOURCES, "starting the thread that looks up shm.group failed: " + e, true);
        }
        return asked;
    }

    private static void answer(String group, NameService names, CompletableFuture<Long> asked) {
        try {
            boolean unused = asked.complete(names.numberOf(group));
        } catch (Throwable e) { // whoever waits reports it
            boolean unused = asked.completeExceptionally(e);
        }
    }

    /**
     * Asks the JDK, which does not show the number that it finds. It uses it as a hash, and calls two groups equal if they have the same
     * number, and takes a number for a name; so the guess is checked.
     */
    private static long look(String group) throws IOException {
        UserPrincipalLookupService service = FileSystems.getDefault().getUserPrincipalLookupService();
        GroupPrincipal found = service.lookupPrincipalByGroupName(group);
        String number = Integer.toString(found.hashCode());
        if (!found.equals(service.lookupPrincipalByGroupName(number))) {
            throw new IOException("this JDK does not show its number; set shm.group to the number");
        }
        return Long.parseLong(number);
    }
}
