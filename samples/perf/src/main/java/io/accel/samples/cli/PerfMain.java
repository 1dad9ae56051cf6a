// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.cli;

import io.accel.samples.perf.DemoCommand;
import io.accel.samples.perf.PerfCommand;
import io.accel.samples.soak.SoakCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The command line of the benches: {@code perf compare}, {@code perf apps}, {@code demo} and {@code soak}. */
@Command(
        name = "accel",
        mixinStandardHelpOptions = true,
        subcommands = {PerfCommand.class, DemoCommand.class, SoakCommand.class})
public final class PerfMain {
    private PerfMain() {}

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /** Runs a command and returns its exit status; 2 says that the command line is wrong. */
    public static int execute(String... args) {
        return commandLine().execute(args);
    }

    static CommandLine commandLine() {
        return new CommandLine(new PerfMain()).setParameterExceptionHandler(PerfMain::sayMistake);
    }

    /** In one line: the whole help would push it out of sight. */
    private static int sayMistake(ParameterException mistake, String[] args) {
        CommandLine command = mistake.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(name + ": " + mistake.getMessage() + "; see " + name + " --help");
        return CommandLine.ExitCode.USAGE;
    }
}
