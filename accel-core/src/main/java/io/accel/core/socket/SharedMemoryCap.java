package io.accel.core.socket;

import io.accel.core.poll.ControlGroups;
import io.accel.profile.Keys;
import io.accel.profile.Origin;
import io.accel.profile.Profile;

/**
 * The most shared memory that the connections of this process hold: {@code shm.max}, or where nobody has set that a share of what the
 * control group lets its processes have, since it ends one of them where rings and all else take more. Stateless.
 */
public final class SharedMemoryCap {
    /** The JVM takes as large a part for its heap, unless it is told otherwise, and half is left for all else. */
    private static final int PART = 4;

    /** Looked up once: each datagram socket asks. */
    private static final class OfProcess {
        private static final long MEMORY = ControlGroups.ofProcess().memory();
    }

    private SharedMemoryCap() {}

    /**
     * That of this process.
     *
     * @param profile the profile at work
     * @return in bytes; 0 for any number
     */
    public static long of(Profile profile) {
        return isSet(profile) ? profile.get(Keys.SHM_MAX) : OfProcess.MEMORY / PART;
    }

    /**
     * That of a process in some control groups.
     *
     * @param profile its profile
     * @param groups its groups
     * @return in bytes; 0 for any number
     */
    public static long of(Profile profile, ControlGroups groups) {
        return isSet(profile) ? profile.get(Keys.SHM_MAX) : groups.memory() / PART;
    }

    private static boolean isSet(Profile profile) {
        return profile.setting(Keys.SHM_MAX).origin().kind() != Origin.Kind.DEFAULT;
    }
}
