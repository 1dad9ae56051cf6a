// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lab's tests run in the background of {@code ./accel test}: neither a failure nor their death may be overlooked there. */
@Timeout(60)
class LabBesideTest {
    /** A lab whose suites take until Maven's tests are over. */
    private static final String FAITHFUL = """
            while (($#)); do
                case $1 in
                    --build) echo built; exit ;;
                    --beside) beside=$2; shift ;;
                    --results) results=$2; shift ;;
                esac
                shift
            done
            echo ready >>"$beside"
            while [[ -e $beside ]]; do sleep 0.05; done
            echo 'lab: core ...'
            echo 'core 5 0 0 1 7' >>"$results"
            """;

    @TempDir
    private Path project;

    @BeforeEach
    void copyTheScript() throws Exception {
        Files.copy(Shell.SCRIPT, project.resolve("accel"));
        Files.createDirectories(project.resolve("target/lab"));
        Files.createDirectories(project.resolve("samples/lab"));
        for (String file : new String[] {"parts", "failures", "lab", "started"}) {
            Files.createFile(project.resolve(file));
        }
    }

    /** What is said, and {@code status N}, where the lab is this script. */
    private String run(String lab, String commands) throws Exception {
        Path suites = Files.writeString(project.resolve("samples/lab/suites"), "#!/bin/bash\n" + lab);
        Files.setPosixFilePermissions(suites, PosixFilePermissions.fromString("rwxr-xr-x"));
        String script = "source '" + project.resolve("accel")
                + "'; set +e; JAVA_HOME=/nowhere; mvn_here() { true; }; work='" + project + "'; lab_pid=; " + commands;
        return Shell.run(script, Shell.NOTHING);
    }

    private static final String WHOLE_RUN = "start_lab \"$work\"; built=$?; echo \"Maven's, $built\";"
            + " await_lab \"$work\"; status=$?; note_lab \"$work\" $status; test_report \"$work\"/{parts,failures}; echo status $?";

    @Test
    void itsOutputComesAfterMavens() throws Exception {
        assertThat(run(FAITHFUL, WHOLE_RUN))
                .containsSubsequence("built\n", "Maven's, 0\n", "lab: core ...\n", "7  ok      lab/core", "status 0\n");
    }

    @Test
    void aSuiteThatFailsIsAFailure() throws Exception {
        Files.writeString(project.resolve("target/lab/core.log"), "what went wrong\n");
        String failing = FAITHFUL.replace("core 5 0 0", "core 5 1 0") + "exit 1\n";
        assertThat(run(failing, WHOLE_RUN))
                .containsSubsequence("7  FAILED  lab/core", "what went wrong", "lab/core: see", "status 1\n")
                .doesNotContain("could not be run");
    }

    @Test
    void aLabThatDiesIsAFailure() throws Exception {
        assertThat(run(FAITHFUL.replace("echo 'lab: core", "kill -KILL $$; echo 'lab: core"), WHOLE_RUN))
                .containsSubsequence("FAILED  lab ", "lab: it could not be run", "status 1\n");
    }

    @Test
    void aLabThatDiesBeforeItIsReadyDoesNotKeepMavenFromRunning() throws Exception {
        assertThat(run(FAITHFUL.replace("echo ready", "echo no lab; exit 3; echo ready"), WHOLE_RUN))
                .containsSubsequence("Maven's, 0\n", "no lab\n", "FAILED  lab ", "status 1\n");
    }

    @Test
    void whatCannotBeBuiltIsAFailure() throws Exception {
        String commands = "start_lab \"$work\"; echo \"$? with '$lab_pid'\"";
        assertThat(run("echo 'lab: cannot compile the tests'; exit 1\n", commands))
                .endsWith("lab: cannot compile the tests\n1 with ''\n");
    }

    @Test
    void itEndsWithTheScript() throws Exception {
        String commands = "start_lab \"$work\"; pid=$lab_pid; end_lab; kill -0 $pid 2>/dev/null; echo \"there: $?\"";
        assertThat(run("trap 'exit 143' TERM\n" + FAITHFUL, commands)).endsWith("there: 1\n");
    }
}
