// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.profile.Problem;
import io.accel.profile.Profile;
import io.accel.profile.Profiles;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code accel profiles}: lists the presets, shows the settings of a profile, and checks a profile of the user's own. */
@Command(
        name = "profiles",
        description = "List the presets, show what a profile sets, or check a file.",
        mixinStandardHelpOptions = true)
final class ProfilesCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Prints the list, if there is no subcommand. */
    @Override
    public void run() {
        list();
    }

    @Command(name = "list", description = "List the presets and their purposes.", mixinStandardHelpOptions = true)
    void list() {
        for (String name : Profiles.names()) {
            String mark = name.equals(Profiles.defaultName()) ? " (default)" : "";
            out().printf("%-20s %s%n", name + mark, Profiles.description(name));
        }
    }

    @Command(
            name = "show",
            description = "Show every setting of a profile, as a file that can be used as one.",
            mixinStandardHelpOptions = true)
    void show(
            @Parameters(paramLabel = "NAME|FILE", arity = "0..1", description = "Default: the default preset.")
                    String profile) {
        String name = profile == null ? Profiles.defaultName() : profile;
        new ProfilePrinter(out()).print(Profile.load(name, Map.of()));
    }

    @Command(
            name = "check",
            description = "Check a profile file and the files that it includes.",
            footer = {"", "Exit status: 0 if the file can be used, 1 if not."},
            mixinStandardHelpOptions = true)
    int check(@Parameters(paramLabel = "FILE", description = "The profile file.") Path file) {
        List<Problem> problems = Profiles.check(file);
        if (problems.isEmpty()) {
            out().println(file + ": OK");
            return ExitStatus.OK;
        }
        PrintWriter err = spec.commandLine().getErr();
        problems.forEach(err::println);
        return ExitStatus.FAILED;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
