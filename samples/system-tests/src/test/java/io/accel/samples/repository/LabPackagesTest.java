// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lab adds packages to a machine only if it was told to, and reports progress where it takes long. */
@Timeout(60)
class LabPackagesTest {
    @TempDir
    private Path dir;

    /** The lab's output, and its calls of apt-get, where a package is missing; and {@code status N}. */
    private static String install(String variables) throws Exception {
        return Shell.run(
                "here='" + Shell.LAB + "'; . \"$here/prepare.sh\"; " + variables
                        + "say() { echo \"$*\"; }; may_install() { true; }; apt_get() { echo \"apt-get $*\"; };"
                        + " (install_packages sh=dash no-such-command=some-package); echo status $?",
                Shell.NOTHING);
    }

    /**
     * The output for a user at a terminal who gives this answer, where apt-get changes the terminal's settings, as it does for
     * its progress.
     */
    private String installAtTerminal(String answer) throws Exception {
        Path apt = Files.writeString(dir.resolve("apt-get"), "#!/bin/sh\nstty sane </dev/tty && echo \"apt-get $*\"\n");
        Files.setPosixFilePermissions(apt, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path script = Files.writeString(
                dir.resolve("script"),
                "here='" + Shell.LAB + "'; . \"$here/prepare.sh\"; unset LAB_INSTALL; PATH='" + dir + "':$PATH;"
                        + " say() { echo \"$*\"; }; may_install() { true; }; id() { echo 0; };"
                        + " (install_packages no-such-command=some-package); echo status $?");
        Path in = Files.writeString(dir.resolve("answer"), answer + "\n");
        return Shell.run("script -qec 'bash " + script + "' /dev/null", in);
    }

    @Test
    void somebodyAtATerminalIsAsked() throws Exception {
        assertThat(installAtTerminal("n"))
                .contains("the packages some-package; install them now?", "Missing: some-package", "status 3")
                .doesNotContain("apt-get -o");
    }

    @Test
    void atATerminalAptGetMayUseIt() throws Exception {
        assertThat(installAtTerminal("y")).contains("apt-get -o ", " some-package", "status 0");
    }

    @Test
    void howFarTheKernelIsIsSaid() throws Exception {
        Path log = dir.resolve("log");
        assertThat(Shell.run(
                        "here='" + Shell.LAB + "'; . \"$here/kernel.sh\"; say() { echo \"$*\" >&2; }; progress_every=0;"
                                + " printf '  HOSTCC  a\\n  CC      b.o\\n  CC [M]  c.o\\n' | note_progress '" + log
                                + "'",
                        Shell.NOTHING))
                .isEqualTo("compiled 0 files\ncompiled 1 files\ncompiled 2 files\n");
        assertThat(log).hasContent("  HOSTCC  a\n  CC      b.o\n  CC [M]  c.o\n");
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
