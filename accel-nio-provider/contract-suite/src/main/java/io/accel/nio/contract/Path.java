// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.util.Locale;

/** The provider that this run of the suite is on, and the path of its bytes. */
public enum Path {
    /** The JDK's own provider: the oracle. */
    JDK,
    /** Accel's provider, every connection over the kernel's sockets. */
    KERNEL,
    /** Accel's provider, connections over shared memory. */
    SHM,
    /** Accel's provider, connections over RDMA. */
    RDMA;

    /** Whether the kernel carries the bytes. */
    public boolean isKernels() {
        return this == JDK || this == KERNEL;
    }

    /** Whether Unix-domain streams of this run get another path than the kernel's: the system property {@code contract.unix}. */
    public static boolean carriesUnixStreams() {
        return Boolean.getBoolean("contract.unix");
    }

    /** The path of this JVM: the system property {@code contract.path}, or the JDK's if it is not set. */
    public static Path current() {
        return valueOf(System.getProperty("contract.path", "jdk").toUpperCase(Locale.ROOT));
    }
}
