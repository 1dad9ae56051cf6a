package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that say into which files a result is to be written. */
final class ResultFiles {
    @Option(names = "--json", paramLabel = "FILE", description = "Also write the rows to this file, as a JSON array.")
    private Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description =
                    "Also write a page to this file: latency curves, throughput bars, the figures, the machine. It"
                            + " needs no other file and no network.")
    private Path html;

    /** Makes them, with nothing in them. */
    void create() throws IOException {
        if (json != null) {
            Files.writeString(json, "[]\n");
        }
        if (html != null) {
            Files.writeString(html, "");
        }
    }

    /** Those that are to be written, by the option that says so. */
    Map<String, Path> byOption() {
        Map<String, Path> files = new LinkedHashMap<>();
        if (json != null) {
            files.put("--json", json);
        }
        if (html != null) {
            files.put("--html", html);
        }
        return files;
    }

    /** @param notes sentences about how it was measured */
    void write(Result result, List<String> notes) throws IOException {
        if (json != null) {
            Files.writeString(json, JsonPrinter.print(result.rows()));
        }
        if (html != null) {
            Map<String, String> machine = new Machine(Path.of("/")).describe();
            machine.put("Seen", LocalDate.now(ZoneId.systemDefault()).toString());
            Files.writeString(html, HtmlPrinter.print(result, machine, notes));
        }
    }
}
