package io.accel.nio.cli;

import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** A command line that makes no sense, told in one line: what is wrong, and where to read what is right. */
final class UsageMistake {
    /** What {@code ./accel} has besides, since it takes the sources. */
    static final Set<String> OF_THE_SCRIPT = Set.of("demo", "test", "lab", "perf", "soak");

    private UsageMistake() {}

    /** Says it and returns the exit status. */
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
