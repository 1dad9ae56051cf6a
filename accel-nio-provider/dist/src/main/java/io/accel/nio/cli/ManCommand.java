// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code accel man}: makes the manual pages from the text of {@code --help}. */
@Command(
        name = "man",
        description = {
            "Print the manual page of a command, in the format of man.",
            "To read one: ./accel man stats | man -l -. "
                    + "To install all of them: ./accel man --to /usr/local/share/man/man1"
        },
        footer = {"", "Exit status: 0; 1 if a page cannot be written; 2 if there is no such command."},
        mixinStandardHelpOptions = true)
final class ManCommand implements Callable<Integer> {
    @Option(
            names = "--to",
            paramLabel = "DIRECTORY",
            description = "Write the pages of all commands into this directory, which is made if it does not exist.")
    private Path directory;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..*",
            description = "The command, such as stats, or profiles show. Default: accel itself.")
    private List<String> names = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        CommandLine command = AccelMain.commandLine();
        if (directory != null) {
            if (!names.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(), "--to writes the pages of all commands; leave out " + names.get(0));
            }
            return writeAll(command);
        }
        for (String name : names) {
            command = command.getSubcommands().get(name);
            if (command == null) {
                throw new ParameterException(
                        spec.commandLine(), "There is no command '" + String.join(" ", names) + "'");
            }
        }
        spec.commandLine().getOut().print(new ManPage(command).text());
        spec.commandLine().getOut().flush();
        return ExitStatus.OK;
    }

    private int writeAll(CommandLine root) {
        try {
            Files.createDirectories(directory);
            write(root);
            return ExitStatus.OK;
        } catch (IOException e) {
            spec.commandLine().getErr().println("accel man: the pages cannot be written: " + e);
            return ExitStatus.FAILED;
        }
    }

    private void write(CommandLine command) throws IOException {
        ManPage page = new ManPage(command);
        Files.writeString(directory.resolve(page.name() + ".1"), page.text());
        for (CommandLine subcommand : command.getSubcommands().values()) {
            write(subcommand);
        }
    }
}
