// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A control group whose processes together may use half a processor's time, and no more. The group is gone when {@link #close}
 * returns. Its processes must have ended before that call. Used by one thread.
 */
final class Quota implements AutoCloseable {
    private static final int PERIOD_MICROS = 100_000;
    private static final int QUOTA_MICROS = PERIOD_MICROS / 2;

    private static final long GONE_NANOS = 2_000_000_000L;

    private final ControlGroup group;

    private Quota(ControlGroup group) {
        this.group = group;
    }

    /**
     * Makes a group below the root of the hierarchy at {@code mount}, of version 1 or 2.
     *
     * @throws IOException if this user cannot make a group on this machine
     */
    static Quota make(Path mount, String name) throws IOException {
        Path version1 = mount.resolve("cpu");
        boolean first = Files.isDirectory(version1);
        Path group = (first ? version1 : mount).resolve("accel-perf-" + name);
        Quota quota = new Quota(ControlGroup.make(group, GONE_NANOS));
        try {
            if (first) {
                Files.writeString(group.resolve("cpu.cfs_period_us"), Integer.toString(PERIOD_MICROS));
                Files.writeString(group.resolve("cpu.cfs_quota_us"), Integer.toString(QUOTA_MICROS));
            } else {
                Files.writeString(group.resolve("cpu.max"), QUOTA_MICROS + " " + PERIOD_MICROS);
            }
            return quota;
        } catch (IOException e) {
            quota.close();
            throw e;
        }
    }

    /** The words to put before a command so that it runs in the group from its first instruction. */
    List<String> prefix() {
        return group.prefix();
    }

    @Override
    public void close() throws IOException {
        group.close();
    }
}
