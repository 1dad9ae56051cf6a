// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import io.accel.core.observe.BuildInfo;
import io.accel.profile.FabricName;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.File;
import java.util.Arrays;
import java.util.List;

/** The log's line when Accel starts in a process. Making it loads nothing of a fabric. */
final class StartLine {
    private StartLine() {}

    /**
     * Makes the line.
     *
     * @param profile the profile at work
     * @param on whether it accelerates anything
     * @param devices the directory where the system lists its RDMA devices
     */
    static String of(Profile profile, boolean on, File devices) {
        String start = "accel: " + BuildInfo.version() + ", profile " + profile.name();
        if (!on) {
            return start + ", nothing is accelerated";
        }
        List<FabricName> fabrics = profile.get(Keys.FABRIC_ORDER);
        String shm = fabrics.contains(FabricName.SHM)
                ? "shared memory in " + profile.get(Keys.SHM_DIR)
                : "no shared memory (fabric.order)";
        return start + ", " + shm + ", "
                + (fabrics.contains(FabricName.RDMA) ? rdma(devices.list()) : "no RDMA (fabric.order)");
    }

    private static String rdma(String[] devices) {
        if (devices == null || devices.length == 0) {
            return "no RDMA device";
        }
        Arrays.sort(devices);
        return (devices.length == 1 ? "RDMA device " : "RDMA devices ") + String.join(" ", devices);
    }
}
