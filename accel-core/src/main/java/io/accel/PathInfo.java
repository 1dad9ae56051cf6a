// SPDX-License-Identifier: Apache-2.0
package io.accel;

/**
 * The path that the bytes of a connection, or the datagrams to a destination, take, and the reason why it is not a faster one.
 *
 * @param path {@code shm}, {@code rdma} or {@code kernel}
 * @param reason why it is the kernel's path, or null if it is another or nothing was tried
 * @param detail the circumstances of the reason, or null
 */
public record PathInfo(String path, FallbackReason reason, String detail) {
    /** The kernel's path, with nothing tried. */
    public static final PathInfo KERNEL = new PathInfo("kernel", null, null);

    /** Whether the bytes bypass the kernel. */
    public boolean isAccelerated() {
        return !path.equals("kernel");
    }

    @Override
    public String toString() {
        return reason == null
                ? path
                : path + " (" + reason + ": " + (detail == null ? reason.sentence() : detail) + ")";
    }
}
