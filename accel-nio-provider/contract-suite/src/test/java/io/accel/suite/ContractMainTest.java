// SPDX-License-Identifier: Apache-2.0
package io.accel.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The tests that {@code ./accel contract} runs. */
@Timeout(60)
class ContractMainTest {
    private static List<String> command(String... arguments) {
        CommandLine line = ContractMain.commandLine();
        line.parseArgs(arguments);
        return line.<ContractMain>getCommand().command();
    }

    @Test
    void aClassOnAPath() {
        assertThat(command("--path", "shm", "ReadWriteTest"))
                .containsAll(options(Run.of("shm-latency"), "accel.profile"))
                .contains("-Daccel.handover.after=connect")
                .contains("--select-class=io.accel.nio.contract.stream.ReadWriteTest")
                .noneMatch(each -> each.startsWith("-Daccel.profile="));
    }

    @Test
    void aPackageAndAMethod() {
        assertThat(command("--path", "jdk", "--package", "nio2", "ConnectTest#staticOpenIsRefused"))
                .contains("-Dcontract.path=jdk", "--select-package=io.accel.nio.contract.nio2")
                .contains("--select-method=io.accel.nio.contract.stream.ConnectTest#staticOpenIsRefused")
                .noneMatch(each -> each.contains("AccelSelectorProvider"));
    }

    @Test
    void allOfIt() {
        assertThat(command("--path", "kernel")).contains("--select-package=io.accel.nio.contract");
    }

    @Test
    void aProfileAndAHandover() {
        assertThat(command("--path", "shm", "--profile", "low-cpu", "--handover", "random", "CloseTest"))
                .contains("-Daccel.profile=low-cpu", "-Daccel.handover.after=random");
    }

    @Test
    void anotherJdk(@TempDir Path jdk) throws IOException {
        Path program =
                Files.createFile(Files.createDirectory(jdk.resolve("bin")).resolve("java"));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        assertThat(command("--java", jdk.toString())).first().isEqualTo(program.toString());
        assertThat(command())
                .first()
                .isEqualTo(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString());
    }

    @Test
    void aRunOfTheBuild() {
        for (String name : Run.all().keySet()) {
            assertThat(command("--run", name)).containsAll(options(Run.of(name), ""));
        }
        assertThat(command("--run", "shm-racing")).contains("--include-tag=racing");
        assertThat(command("--run", "shm-random")).noneMatch(each -> each.startsWith("--include-tag"));
    }

    private static List<String> options(Run run, String but) {
        return run.properties().entrySet().stream()
                .filter(each -> !each.getKey().equals(but))
                .map(each -> "-D" + each.getKey() + "=" + each.getValue())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NoSuchTest | no test 'NoSuchTest'",
                "ReadWrit | ReadWriteTest",
                "--package streams | datagram, nio2, plain, selector, stream, unix",
                "--java /no/such/jdk | /no/such/jdk is not a JDK",
                "--path rdma | samples/lab/contract",
                "--path jdk --profile latency | --profile",
                "--path kernel --handover random | --handover",
                "--run nonesuch | shm-latency",
                "--run jdk --path shm | --run"
            })
    void whatCannotBe(String arguments, String said) {
        assertThatThrownBy(() -> command(arguments.split(" ")))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining(said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "shm"})
    void testsAreRun(String path) throws Exception {
        String said = new ChildJvm(ContractMain.class)
                .run("--path", path, "ReadWriteTest", "PathTest")
                .orderly();
        assertThat(said).contains("ReadWriteTest", "0 tests failed").doesNotContain("\u001b");
        assertThat(said.contains("this run is not about shared memory")).isEqualTo(!path.equals("shm"));
    }

    @Test
    void whatIsWrongIsSaidInALine() throws Exception {
        ChildJvm.Ended ended = new ChildJvm(ContractMain.class).run("--no-such-option");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.output().strip()).hasLineCount(1).contains("accel contract: ", "./accel contract --help");
    }
}
