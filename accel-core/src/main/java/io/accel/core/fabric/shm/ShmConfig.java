// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.core.fabric.PortSpace;
import java.nio.file.Path;

/**
 * The settings that the shared-memory fabric takes from a profile.
 *
 * @param space the kind of connection
 * @param dir the directory on a memory file system, {@code shm.dir}
 * @param group the group whose members may connect to each other, or empty for the same user only, {@code shm.group}
 * @param probeTimeoutNanos how long a client waits for a listener's answer, {@code connect.probe-timeout}
 * @param handshakeTimeoutNanos how long a listener waits for a client's hello, {@code handshake.timeout}
 * @param most how many bytes the connections of this process may hold at a time; 0 for no limit
 */
public record ShmConfig(
        PortSpace space, Path dir, String group, long probeTimeoutNanos, long handshakeTimeoutNanos, long most) {
    /** Makes settings for streams, without a limit to their memory. */
    public ShmConfig(Path dir, String group, long probeTimeoutNanos, long handshakeTimeoutNanos) {
        this(PortSpace.TCP, dir, group, probeTimeoutNanos, handshakeTimeoutNanos, 0);
    }
}
