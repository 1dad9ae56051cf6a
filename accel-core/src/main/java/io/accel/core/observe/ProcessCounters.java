// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import io.accel.FallbackReason;
import io.accel.profile.Role;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts rare events of the process. For each kind of event there is a method that counts it, named by the event, and
 * a method that returns the count, named by its subject. All are for any thread; values only grow.
 */
@SuppressWarnings("EnumOrdinal") // an index that never leaves the process
public final class ProcessCounters {
    private static final int PATHS = PathName.values().length;
    private static final int ROLES = Role.values().length;

    // Counted once in a connection, and so no adders: every process would load and link what those need.
    private static final AtomicLong[] CONNECTIONS = counts(ROLES * PATHS);
    private static final AtomicLong[] FALLBACKS = counts(ROLES * FallbackReason.values().length);

    /** What a process without links and datagrams has no use for. */
    private static final class Rarer {
        static final Durations[] HANDSHAKES = durations();
        static final Durations[] STALLS = durations();
        static final LongAdder[] RESETS_IN = adders(PATHS);
        static final LongAdder[] RESETS_OUT = adders(PATHS);
        static final LongAdder[] DROPS = adders(Drop.values().length);

        private Rarer() {}
    }

    private ProcessCounters() {}

    private static AtomicLong[] counts(int count) {
        AtomicLong[] counts = new AtomicLong[count];
        for (int i = 0; i < count; i++) {
            counts[i] = new AtomicLong();
        }
        return counts;
    }

    private static LongAdder[] adders(int count) {
        LongAdder[] adders = new LongAdder[count];
        for (int i = 0; i < count; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }

    private static Durations[] durations() {
        Durations[] durations = new Durations[PATHS];
        for (int i = 0; i < PATHS; i++) {
            durations[i] = new Durations();
        }
        return durations;
    }

    /** A connection has got its path. */
    public static void gotPath(Role role, PathName path) {
        CONNECTIONS[role.ordinal() * PATHS + path.ordinal()].incrementAndGet();
    }

    /** Connections that have got this path, open or not. */
    public static long connections(Role role, PathName path) {
        long counted = CONNECTIONS[role.ordinal() * PATHS + path.ordinal()].get();
        return path == PathName.KERNEL ? counted + unlisted(role) : counted;
    }

    /** A connection goes through the kernel for this reason. */
    public static void fellBack(Role role, FallbackReason reason) {
        FALLBACKS[reason.ordinal() * ROLES + role.ordinal()].incrementAndGet();
    }

    /** Connections that went through the kernel for this reason. */
    public static long fallbacks(Role role, FallbackReason reason) {
        long counted = FALLBACKS[reason.ordinal() * ROLES + role.ordinal()].get();
        FallbackReason unlisted = role == Role.CLIENT ? FallbackReason.TOO_LITTLE : FallbackReason.PEER_NOT_ACCELERATED;
        return reason == unlisted ? counted + unlisted(role) : counted;
    }

    /** Those that have closed without having been listed. */
    private static long unlisted(Role role) {
        return role == Role.CLIENT ? Unlisted.closedClients() : Unlisted.closedServers();
    }

    /** A client's handshake has brought a connection, in this many nanoseconds. */
    public static void shookHands(PathName path, long nanos) {
        Rarer.HANDSHAKES[path.ordinal()].add(nanos);
    }

    /** The durations of clients' handshakes that brought a connection. */
    public static Durations handshakes(PathName path) {
        return Rarer.HANDSHAKES[path.ordinal()];
    }

    /** A sender without room in the peer's ring has room again, after this many nanoseconds. */
    public static void stalled(PathName path, long nanos) {
        Rarer.STALLS[path.ordinal()].add(nanos);
    }

    /** The durations of senders' stalls that are over. */
    public static Durations stalls(PathName path) {
        return Rarer.STALLS[path.ordinal()];
    }

    /** An accelerated connection was reset by the peer, or broken. */
    public static void wasReset(PathName path) {
        Rarer.RESETS_IN[path.ordinal()].increment();
    }

    /** Accelerated connections that the peer reset, or that broke. */
    public static long resetsIn(PathName path) {
        return Rarer.RESETS_IN[path.ordinal()].sum();
    }

    /** This side has reset an accelerated connection. */
    public static void didReset(PathName path) {
        Rarer.RESETS_OUT[path.ordinal()].increment();
    }

    /** Accelerated connections that this side reset. */
    public static long resetsOut(PathName path) {
        return Rarer.RESETS_OUT[path.ordinal()].sum();
    }

    /** Something was thrown away. */
    public static void dropped(Drop what) {
        Rarer.DROPS[what.ordinal()].increment();
    }

    /** So many things were thrown away. */
    public static void dropped(Drop what, long count) {
        Rarer.DROPS[what.ordinal()].add(count);
    }

    /** How many of these were thrown away. */
    public static long drops(Drop what) {
        return Rarer.DROPS[what.ordinal()].sum();
    }
}
