package io.accel.nio.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code java -jar accel.jar}: picks the subcommand. Statuses are those of {@link ExitStatus}. */
@Command(
        name = "accel",
        description = "Carries unchanged java.nio programs' connections over shared memory, or the kernel.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {RunCommand.class, VersionCommand.class, HelpCommand.class})
public final class AccelMain implements Runnable {
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

    /** The whole command line, for {@link #main} and for tests. */
    static CommandLine commandLine() {
        return new CommandLine(new AccelMain());
    }

    /** Called when there is no subcommand. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given.");
    }
}
