// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The report at the end of {@code ./accel test}, from Maven's output: a mistake there would hide all test results. */
@Timeout(60)
class ReportOfTestsTest {
    @TempDir
    private Path directory;

    private Path parts;
    private Path failures;

    @BeforeEach
    void nameFiles() throws IOException {
        parts = Files.createFile(directory.resolve("parts"));
        failures = Files.createFile(directory.resolve("failures"));
    }

    private Path recorded(String name) throws IOException {
        Path log = directory.resolve(name);
        try (InputStream in = ReportOfTestsTest.class.getResourceAsStream(name)) {
            Files.copy(in, log);
        }
        return log;
    }

    @Test
    void eachRunOfTestsIsAPart() throws Exception {
        Path log = recorded("maven.log");
        assertThat(parts(log))
                .containsExactly(
                        "ok accel-core/default-test 5 0 0 1",
                        "FAILED accel-nio-provider/low-cpu 30 1 1 0",
                        "FAILED accel-samples/default 0 0 1 0");
        assertThat(Files.readAllLines(failures))
                .containsExactly(
                        "accel-nio-provider/low-cpu: SecondTest.reads:12 expected: 1 but was: 2",
                        "accel-nio-provider/low-cpu: SecondTest.writes:20 » IO Broken pipe");
    }

    @Test
    void modulesThatAreTestedAtATimeAreToldApart() throws Exception {
        Path log = recorded("maven-parallel.log");
        assertThat(parts(log))
                .containsExactlyInAnyOrder(
                        "ok accel-contract-suite/jdk 20 0 0 0",
                        "FAILED accel-netty-transport/default-test 30 1 0 4",
                        "ok accel-contract-suite/kernel 20 0 0 1",
                        "FAILED accel-grpc/default-test 0 0 1 0");
        assertThat(Files.readAllLines(failures))
                .containsExactly(
                        "accel-netty-transport/default-test: SecondTest.reads:12 expected: 1 but was: 2",
                        "accel-netty-transport/default-test: ThirdTest.writes:30 ",
                        "    Expecting actual:",
                        "      \"one\"",
                        "    to be null");
    }

    /** The parts that the script finds in a log, without the seconds that they took. */
    private List<String> parts(Path log) throws Exception {
        String said = Shell.withScript("note_parts '" + parts + "' '" + failures + "'", log);
        assertThat(said).as("Maven's own lines are passed on").isEqualTo(Files.readString(log) + "status 0\n");
        return Files.readAllLines(parts).stream()
                .map(line -> line.replaceFirst("^[0-9]+ ", ""))
                .toList();
    }

    @Test
    void theReportNamesWhatFailedAndFails() throws Exception {
        Files.write(parts, List.of("7 ok accel-core/default-test 5 0 0 1", "90 FAILED lab/netty 3 1 0 0"));
        Files.write(failures, List.of("lab/netty: see netty.log"));
        assertThat(report())
                .containsSubsequence(
                        "90  FAILED  lab/netty",
                        "7  ok      accel-core/default-test",
                        "Failed:\n  lab/netty: see netty.log\n",
                        "accel test: FAILED in 0 min",
                        "8 tests in 2 parts: 1 failed, 0 in error, 1 skipped",
                        "status 1");
    }

    @Test
    void aRunWithoutFailuresHasPassed() throws Exception {
        Files.write(parts, List.of("7 ok accel-core/default-test 5 0 0 0"));
        assertThat(report())
                .doesNotContain("Failed:")
                .containsSubsequence("accel test: passed in 0 min", "5 tests in 1 parts: 0 failed", "status 0");
    }

    private static final String SKIPPED = """
            <testsuite name="io.accel.SomeIT" tests="3">
              <testcase name="rights" classname="io.accel.SomeIT" time="0.1">
                <skipped message="Assumption failed: needs the right to mount a tmpfs: no" type="x"><![CDATA[x]]></skipped>
              </testcase>
              <testcase name="root" classname="io.accel.SomeIT" time="0.1">
                <skipped message="Assumption failed: needs root, to be another user" type="x"/>
              </testcase>
              <testcase name="jdk" classname="io.accel.SomeIT" time="0.1">
                <skipped message="Assumption failed: this JDK has no virtual threads" type="x"/>
              </testcase>
            </testsuite>
            """;

    /** A machine that lacks rights must not look like a machine that has tested everything. */
    @Test
    void whatIsSkippedForWantOfRightsIsNamedAndFailsWhereRightsAreNeeded() throws Exception {
        Path reports = Files.createDirectories(directory.resolve("module/target/failsafe-reports"));
        Path old = Files.writeString(reports.resolve("TEST-io.accel.OldIT.xml"), SKIPPED.replace("SomeIT", "OldIT"));
        Files.setLastModifiedTime(old, FileTime.fromMillis(0));
        Files.writeString(reports.resolve("TEST-io.accel.SomeIT.xml"), SKIPPED);
        Path started = Files.createFile(directory.resolve("started"));
        Files.setLastModifiedTime(started, FileTime.fromMillis(1_000));
        String command = "note_rights '" + directory + "' '" + started + "' '" + parts + "' '" + failures + "' ";
        assertThat(Shell.withScript(command + "no", Shell.NOTHING)).isEqualTo("""

                        Skipped for want of rights:
                          SomeIT.rights: needs the right to mount a tmpfs: no
                          SomeIT.root: needs root, to be another user
                        status 0
                        """);
        assertThat(parts).isEmptyFile();
        assertThat(Shell.withScript(command + "yes", Shell.NOTHING)).isEqualTo("status 0\n");
        assertThat(report())
                .containsSubsequence(
                        "skipped: SomeIT.rights: needs the right", "skipped: SomeIT.root", "FAILED", "status 1")
                .doesNotContain("OldIT", "jdk");
    }

    @Test
    void helpRunsNothing() throws Exception {
        for (String needed : List.of("cat", "dirname", "readlink")) {
            Files.createSymbolicLink(directory.resolve(needed), Path.of("/usr/bin", needed));
        }
        ProcessBuilder help = new ProcessBuilder("/bin/bash", Shell.SCRIPT.toString(), "test", "--help");
        help.environment().put("PATH", directory.toString()); // there is no Java, no Maven, no compiler
        help.environment().remove("JAVA_HOME");
        assertThat(Shell.finish(help))
                .startsWith("Usage: ./accel test ")
                .contains("--all", "--without-lab", "--lab-only", "Exit status: 0 if everything passed")
                .doesNotContain("not found");
    }

    /** The duration of the run changes from second to second. */
    private static String withoutTime(String report) {
        return report.replaceFirst(" in \\d+ min \\d+ s;", " in some time;");
    }

    /** With each awk of this machine: Debian's default awk differs from most others. */
    private String report() throws Exception {
        Path in = Files.createFile(directory.resolve("nothing"));
        String said = Shell.withScript("test_report '" + parts + "' '" + failures + "'", in);
        for (String awk : List.of("mawk", "gawk")) {
            if (Shell.withScript("command -v " + awk, in).startsWith("/")) {
                String same = Shell.withScript(
                        "awk() { " + awk + " \"$@\"; }; test_report '" + parts + "' '" + failures + "'", in);
                assertThat(withoutTime(same)).as("by " + awk).isEqualTo(withoutTime(said));
            }
        }
        return said;
    }
}
