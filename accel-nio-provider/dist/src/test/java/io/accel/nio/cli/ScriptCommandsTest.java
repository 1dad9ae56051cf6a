// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code ./accel} and the jar's command line have the same commands, and each knows the other's. */
class ScriptCommandsTest {
    /** {@code ./accel}; Maven runs a module's tests in its directory. */
    private static final Path SCRIPT = Path.of("..", "..", "accel");

    /** A line of main()'s case, with the words before the parenthesis and the action for them. */
    private static final Pattern CHOICE = Pattern.compile("(?m)^ {8}([a-z][a-z |]*)\\)(.*)$");

    /** A command of the script that the jar's command line carries out. */
    private static final Predicate<String> BY_THE_JAR = action -> action.contains("accel_command ");

    /** Both print the list of commands; the script's list also has its own. */
    private static final String HELP = "help";

    private String script;

    @BeforeEach
    void read() throws IOException {
        script = Files.readString(SCRIPT);
    }

    @Test
    void theScriptHandsTheJarItsCommands() {
        Set<String> ofTheJar =
                new HashSet<>(AccelMain.commandLine().getSubcommands().keySet());
        ofTheJar.remove(HELP);
        assertThat(commands(BY_THE_JAR)).containsExactlyInAnyOrderElementsOf(ofTheJar);
    }

    @Test
    void theJarKnowsTheOthersOfTheScript() {
        Set<String> others = commands(BY_THE_JAR.negate());
        others.remove(HELP);
        assertThat(others).containsExactlyInAnyOrderElementsOf(UsageMistake.OF_THE_SCRIPT);
    }

    @Test
    void theScriptsHelpHasAllOfThem() {
        List<String> listed = Pattern.compile("(?m)^ {2}([a-z]+)\\b")
                .matcher(script.substring(script.indexOf("Usage: ./accel COMMAND"), script.indexOf("\nEOF\n")))
                .results()
                .map(match -> match.group(1))
                .distinct()
                .toList();
        assertThat(listed).containsExactlyInAnyOrderElementsOf(commands(action -> true));
    }

    private Set<String> commands(Predicate<String> done) {
        String main = script.substring(script.indexOf("\nmain() {\n"), script.lastIndexOf("\n}\n"));
        return CHOICE.matcher(main)
                .results()
                .filter(choice -> done.test(choice.group(2)))
                .flatMap(ScriptCommandsTest::words)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> words(MatchResult choice) {
        return Pattern.compile(" \\| ").splitAsStream(choice.group(1));
    }
}
