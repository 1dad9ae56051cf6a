// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that name the files for a result. */
final class ResultFiles {
    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Also write the rows and the failures to this file, as a JSON array.")
    private Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description =
                    "Also write a page to this file: latency curves, throughput bars, the figures, the machine. It"
                            + " needs no other file and no network.")
    private Path html;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            description = "Also write the table, the machine and the method to this file, as Markdown.")
    private Path markdown;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Makes the files, empty, or says which of them cannot be written. */
    void create() {
        byOption().forEach((option, file) -> {
            try {
                Files.writeString(file, file.equals(json) ? "[]\n" : "");
            } catch (IOException e) {
                throw new ParameterException(
                        command.commandLine(), option + ": " + file + " cannot be written: " + reason(e), e);
            }
        });
    }

    /** The message of the file system names the file, and often says nothing else. */
    private static String reason(IOException e) {
        return e instanceof NoSuchFileException
                ? "there is no such directory"
                : e instanceof AccessDeniedException ? "permission denied" : e.getMessage();
    }

    /** The files to write, by their options. */
    Map<String, Path> byOption() {
        Map<String, Path> files = new LinkedHashMap<>();
        if (json != null) {
            files.put("--json", json);
        }
        if (html != null) {
            files.put("--html", html);
        }
        if (markdown != null) {
            files.put("--markdown", markdown);
        }
        return files;
    }

    /** @param notes sentences about the measurement */
    void write(Result result, List<String> notes) throws IOException {
        if (json != null) {
            Files.writeString(json, JsonPrinter.print(result));
        }
        if (html == null && markdown == null) {
            return;
        }
        Map<String, String> machine = new Machine(Path.of("/")).describe();
        machine.put("Seen", LocalDate.now(ZoneId.systemDefault()).toString());
        if (html != null) {
            Files.writeString(html, HtmlPrinter.print(result, machine, notes));
        }
        if (markdown != null) {
            Files.writeString(markdown, MarkdownPrinter.print(result, machine, notes));
        }
    }
}
