// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.repository;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call of {@code ./accel} for help gives help, and does nothing else: no package, no build. */
@Timeout(60)
class ScriptHelpTest {
    /** The script's output on a machine where nothing is built, and {@code status N}; actions are printed instead of done. */
    private static String accel(String arguments) throws Exception {
        return Shell.withScript(
                "is_built() { false; }; build() { echo BUILT; exit 7; }; install_package() { echo INSTALLED; exit 7; };"
                        + " need_java() { echo LOOKED; }; build_contract() { echo BUILT; exit 7; }; (main " + arguments
                        + ")",
                Shell.NOTHING);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo --help",
                "perf --help",
                "perf compare -h",
                "perf apps --help",
                "soak --help",
                "run --help",
                "doctor --help",
                "stats -h",
                "capture --help",
                "capture 4711 -w file -h",
                "profiles --help",
                "profiles check -h",
                "completion --help",
                "man --help",
                "version --help",
                "--version --help",
                "test --help",
                "test --all --help",
                "test --unit --help",
                "test --fuzz-parsers 10 --help",
                "test -pl accel-core -am -h",
                "site --help",
                "contract --help",
                "contract --path shm -h",
                "contract --path shm ReadWriteTest --help",
                "lab --help",
                "lab --hosts 2 --help",
                "help",
                "help stats",
                "help help",
                "--help"
            })
    void helpInstallsAndBuildsNothing(String arguments) throws Exception {
        String said = accel(arguments);

        assertThat(said).contains("status 0").doesNotContain("BUILT", "INSTALLED", "LOOKED");
        assertThat(said.lines().count()).as("lines of help").isGreaterThan(10);
    }

    @Test
    void testsOfTheContractSuiteAreBuilt() throws Exception {
        assertThat(accel("contract --path shm ReadWriteTest")).contains("BUILT");
    }

    @Test
    void theHelpOfAProgramThatIsRunIsNotAccels() throws Exception {
        assertThat(accel("run -- java --help")).contains("BUILT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V", "version"})
    void theVersionIsWhatTheCommandLineSays(String argument) throws Exception {
        assertThat(accel(argument)).contains("BUILT");
    }
}
