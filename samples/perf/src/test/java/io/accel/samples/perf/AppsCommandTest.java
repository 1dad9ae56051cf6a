// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class AppsCommandTest {
    private final StringWriter said = new StringWriter();
    private final CommandLine command =
            new CommandLine(new PerfCommand()).setErr(new PrintWriter(said)).setOut(new PrintWriter(said));

    @ParameterizedTest
    @CsvSource({
        "pingpong-64, there is no case 'pingpong-64'",
        "kafka, there is no case 'kafka'",
        "tomcat --profile=fast, 'fast' is not one of latency",
        "tomcat --profile=balanced --profile=balanced, there twice",
        "tomcat --rounds=0, --rounds and --seconds must be at least 1",
        "tomcat --warm-up=0, --warm-up must be at least 1",
        "tomcat --open-loop=-1, --open-loop from 1 to 1000000",
        "tomcat --young --open-loop=100, --young is without --cpu and --open-loop",
        "tomcat --young --cpu, --young is without --cpu and --open-loop",
        "peers --young, there is no case 'peers'"
    })
    void mistakesAreSaidBeforeAnythingRuns(String arguments, String words) {
        assertThat(command.execute(("apps " + arguments).split(" ", -1))).isEqualTo(2);
        assertThat(said.toString()).contains(words);
    }

    @Test
    void helpNamesThePrograms() {
        assertThat(command.execute("apps", "--help")).isZero();
        BenchCase.OF_APPS.stream()
                .filter(each -> each.crowding == Crowding.NONE)
                .forEach(each -> assertThat(said.toString()).contains(each.label));
    }

    @Test
    void eachProgramHasEveryCrowding() {
        BenchCase.OF_APPS.stream()
                .filter(each -> each.crowding == Crowding.NONE)
                .forEach(each -> assertThat(BenchCase.named(each.label + "-*", BenchCase.OF_APPS))
                        .contains(
                                BenchCase.named(each.label + "-one-core", BenchCase.OF_APPS)
                                        .get(0),
                                BenchCase.named(each.label + "-quota", BenchCase.OF_APPS)
                                        .get(0)));
    }

    @Test
    void aStarStandsForAnyCharacters() {
        assertThat(BenchCase.named("*-quota", BenchCase.OF_APPS))
                .containsExactlyInAnyOrderElementsOf(BenchCase.OF_APPS.stream()
                        .filter(each -> each.label.endsWith("-quota"))
                        .toList())
                .isNotEmpty();
        assertThat(BenchCase.named("tomcat*-one-core", BenchCase.OF_APPS))
                .extracting(each -> each.label)
                .containsExactlyInAnyOrder("tomcat-one-core", "tomcat-each-one-core", "tomcat-nio2-one-core");
    }
}
