// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/** Identifies this build of Accel. */
public final class BuildInfo {
    private BuildInfo() {}

    /** The version of the jar that Accel comes from, or {@code development} if it comes from none. */
    public static String version() {
        String version = BuildInfo.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
