// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.poll.ControlGroups;
import io.accel.profile.Keys;
import io.accel.profile.Origin;
import io.accel.profile.Profile;

/**
 * The most shared memory that the connections of this process hold: {@code shm.max}, or, if nobody has set that, a share of the control
 * group's memory limit, since the group ends one of its processes if rings and everything else take more. Stateless.
 */
public final class SharedMemoryCap {
    /** The cap is one part in this many. The JVM takes as large a part for its heap by default, and half is left for everything else. */
    private static final int PART = 4;

    /** Looked up once, since each datagram socket asks. */
    private static final class OfProcess {
        private static final long MEMORY = ControlGroups.ofProcess().memory();
    }

    private SharedMemoryCap() {}

    /**
     * The cap of this process.
     *
     * @param profile the profile at work
     * @return the cap in bytes; 0 for none
     */
    public static long of(Profile profile) {
        return isSet(profile) ? profile.get(Keys.SHM_MAX) : OfProcess.MEMORY / PART;
    }

    /**
     * The cap of a process in the given control groups.
     *
     * @param profile its profile
     * @param groups its groups
     * @return the cap in bytes; 0 for none
     */
    public static long of(Profile profile, ControlGroups groups) {
        return isSet(profile) ? profile.get(Keys.SHM_MAX) : groups.memory() / PART;
    }

    private static boolean isSet(Profile profile) {
        return profile.setting(Keys.SHM_MAX).origin().kind() != Origin.Kind.DEFAULT;
    }
}
