// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.profile.Profile;
import io.accel.profile.Profiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code accel run}: starts a command in whose JVMs Accel is the SelectorProvider and the AsynchronousChannelProvider. */
@Command(
        name = "run",
        description = {
            "Run a command with Accel in every JVM that it starts.",
            "The command can be java or a script that starts it: Accel is added through the variable JDK_JAVA_OPTIONS, "
                    + "which the java launcher reads. The present content of the variable is kept. "
                    + "Options on the command's own java line override the options given here."
        },
        customSynopsis = "accel run [--profile=NAME|FILE] -- COMMAND [ARG...]",
        footer = {
            "",
            "Exit status: the command's; 126 if it cannot be executed, 127 if there is no such command, "
                    + "2 if these arguments make no sense. SIGINT, SIGTERM and SIGHUP are passed on."
        },
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    @Option(
            names = {"-p", "--profile"},
            paramLabel = "NAME|FILE",
            description = "A preset's name or a profile file; 'accel profiles' lists the presets.")
    private String profile;

    @Parameters(paramLabel = "COMMAND", description = "The command to run, with its arguments, after '--'.")
    private List<String> command = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (command.isEmpty()) {
            throw usage("No command given. Put it after '--': accel run -- java -jar app.jar");
        }
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        int dashes = arguments.indexOf("--");
        if (dashes < 0 || !arguments.subList(dashes + 1, arguments.size()).equals(command)) {
            throw usage("Put '--' before the command: accel run -- " + String.join(" ", command));
        }
        ExecutableSearch search = new ExecutableSearch(System.getenv("PATH"));
        switch (search.find(command.get(0))) {
            case NOT_FOUND -> {
                return refuse(ExitStatus.NOT_FOUND, "command not found");
            }
            case NOT_EXECUTABLE -> {
                return refuse(ExitStatus.NOT_EXECUTABLE, "not an executable file");
            }
            case FOUND -> {}
        }
        return ChildProcess.run(command, javaOptions());
    }

    private JavaOptions javaOptions() {
        try {
            JavaOptions options = new JavaOptions(DropInJar.path());
            if (profile != null) {
                // A mistake is found here before anything has started.
                Profile.load(profile, Map.of());
                options.profile(profileSetting());
            }
            return options;
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    /** Names a file by its absolute path, since the command may change directory first. */
    private String profileSetting() {
        return Profiles.names().contains(profile)
                ? profile
                : Path.of(profile).toAbsolutePath().toString();
    }

    private int refuse(int status, String why) {
        spec.commandLine().getErr().println("accel run: " + command.get(0) + ": " + why);
        return status;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
