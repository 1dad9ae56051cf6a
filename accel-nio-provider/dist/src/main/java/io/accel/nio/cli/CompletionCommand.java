// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.io.PrintWriter;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code accel completion}: prints the script with which a shell completes {@code accel}'s commands and options. */
@Command(
        name = "completion",
        description = {
            "Print a script with which a shell completes commands and options of 'accel'.",
            "For this shell: source <(./accel completion bash). For later shells, put that line into ~/.bashrc or ~/.zshrc."
        },
        mixinStandardHelpOptions = true)
final class CompletionCommand implements Runnable {
    /** The shells that read the script. */
    private enum Shell {
        BASH,
        ZSH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(paramLabel = "bash|zsh", description = "The shell.")
    private Shell shell;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        CommandLine all = AccelMain.commandLine();
        UsageMistake.OF_THE_SCRIPT.stream()
                .sorted()
                .forEach(name -> all.addSubcommand(name, CommandSpec.create().name(name)));
        PrintWriter out = spec.commandLine().getOut();
        out.printf("# To be read by %s%n", shell);
        // Zsh reads bash's script in an emulation, which the script itself turns on.
        out.print(AutoComplete.bash("accel", all));
    }
}
