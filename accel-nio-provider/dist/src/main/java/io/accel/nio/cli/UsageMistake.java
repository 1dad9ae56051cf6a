// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports a command line that makes no sense, in one line with the mistake and the place of the right usage. */
final class UsageMistake {
    /** The further commands of {@code ./accel}, which need the sources. */
    static final Set<String> OF_THE_SCRIPT = Set.of("contract", "demo", "test", "lab", "perf", "soak", "site");

    private UsageMistake() {}

    /** Prints the mistake and returns the exit status. */
    static int say(ParameterException mistake, String[] arguments) {
        CommandLine command = mistake.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(name + ": " + line(mistake, name));
        return ExitStatus.USAGE;
    }

    private static String line(ParameterException mistake, String name) {
        if (mistake instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().get(0);
            if (name.equals("accel") && OF_THE_SCRIPT.contains(first)) {
                return "'" + first + "' is a command of the script in Accel's sources, not of the jar: run ./accel "
                        + first;
            }
            List<String> nearest = unmatched.getSuggestions();
            if (!nearest.isEmpty()) {
                return sentence(mistake, name) + " Did you mean " + String.join(" or ", nearest) + "?";
            }
        }
        return sentence(mistake, name) + " See '" + name + " --help'.";
    }

    private static String sentence(ParameterException mistake, String name) {
        String unmatched = name.equals("accel") ? "Unknown command: " : "Unexpected argument: ";
        String message = mistake.getMessage()
                .replaceAll("\\s*\\R\\s*", " ")
                .replaceAll("Unmatched arguments? (at|from) index \\d+: ", unmatched)
                .replaceAll("is not an? (double|long|int)$", "is not a number");
        return message.endsWith(".") || message.endsWith("?") ? message : message + ".";
    }
}
