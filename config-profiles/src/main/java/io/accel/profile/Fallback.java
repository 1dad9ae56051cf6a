// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** Says what to do when no accelerated path is available for a connection: the values of {@link Keys#FALLBACK}. */
public enum Fallback {
    /** The connection goes through the kernel, and the reason is reported. */
    KERNEL,
    /**
     * The connection fails with an exception that gives the reason: for programs that would rather notice than be
     * slow.
     */
    FAIL
}
