// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lab adds packages to a machine only if it was told so. */
@Timeout(60)
class LabPackagesTest {
    /** What the lab says, and does with apt-get, where a package is missing; and {@code status N}. */
    private static String install(String variables) throws Exception {
        return Shell.run(
                "here='" + Shell.LAB + "'; . \"$here/prepare.sh\"; " + variables
                        + "say() { echo \"$*\"; }; may_install() { true; }; apt_get() { echo \"apt-get $*\"; };"
                        + " (install_packages sh=dash no-such-command=some-package); echo status $?",
                Shell.NOTHING);
    }

    @Test
    void nobodyIsThereToBeAsked() throws Exception {
        assertThat(install("unset LAB_INSTALL; "))
                .contains("Missing: some-package", "--install", "status 3")
                .doesNotContain("apt-get install -y");
    }

    @Test
    void itWasTold() throws Exception {
        assertThat(install("LAB_INSTALL=yes; "))
                .contains("apt-get install -y -q --no-install-recommends some-package", "status 0")
                .doesNotContain("dash");
    }
}
