// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** Says whether to accelerate at all: the values of {@link Keys#MODE}. */
public enum Mode {
    /** Connections are accelerated as the rules and the peers allow. */
    ACCELERATE,
    /** Every connection goes through the kernel. */
    OFF
}
