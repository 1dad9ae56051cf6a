// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/** The paths that bytes take, with their names in metrics and samples. */
public enum PathName {
    /** Shared memory. */
    SHM("shm"),
    /** RDMA. */
    RDMA("rdma"),
    /** The kernel's sockets. */
    KERNEL("kernel");

    private final String text;

    PathName(String text) {
        this.text = text;
    }

    /** The name in metrics, samples and logs. */
    public String text() {
        return text;
    }

    /**
     * Returns the path with a name.
     *
     * @param text as {@link #text()} or a fabric's name
     * @throws IllegalArgumentException if there is none
     */
    public static PathName of(String text) {
        for (PathName path : values()) {
            if (path.text.equals(text)) {
                return path;
            }
        }
        throw new IllegalArgumentException("no path is named " + text);
    }
}
