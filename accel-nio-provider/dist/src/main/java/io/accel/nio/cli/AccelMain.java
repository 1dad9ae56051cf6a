// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.profile.ProfileException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code java -jar accel.jar}: picks the subcommand. Statuses are those of {@link ExitStatus}. */
@Command(
        name = "accel",
        description = "Carries the connections of unchanged Java programs over shared memory, RDMA or the kernel.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            RunCommand.class,
            DoctorCommand.class,
            StatsCommand.class,
            CaptureCommand.class,
            ProfilesCommand.class,
            VersionCommand.class,
            CompletionCommand.class,
            ManCommand.class,
            HelpCommand.class
        })
public final class AccelMain implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private AccelMain() {}

    /**
     * Runs the command line and ends the JVM with its status.
     *
     * @param args the subcommand and its arguments
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** Returns the whole command line, for {@link #main} and for tests. */
    static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new AccelMain())
                .setExecutionExceptionHandler(AccelMain::explain)
                .setParameterExceptionHandler(UsageMistake::say)
                .setCaseInsensitiveEnumValuesAllowed(true)
                // An argument such as @file belongs to the java launcher.
                .setExpandAtFiles(false);
        // Otherwise a command without '--' would have its own options taken for Accel's, and the mistake reported as
        // theirs.
        commandLine.getSubcommands().get("run").setStopAtPositional(true);
        return commandLine;
    }

    /** Explains a failure. The user can mend an unusable profile without a stack trace; any other failure is an error of Accel's. */
    private static int explain(Exception e, CommandLine command, ParseResult arguments) throws Exception {
        if (e instanceof ProfileException) {
            command.getErr().println(e.getMessage());
            return ExitStatus.USAGE;
        }
        throw e;
    }

    /** Called when there is no subcommand. */
    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        err.println("accel: No command given.");
        spec.commandLine().usage(err);
        return ExitStatus.USAGE;
    }
}
