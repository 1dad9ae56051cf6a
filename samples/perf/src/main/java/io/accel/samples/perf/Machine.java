// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The machine that this process runs on, in words. */
final class Machine {
    private final Path root;

    /** @param root the directory of {@code proc} and {@code etc}: {@code /} except in tests */
    Machine(Path root) {
        this.root = root;
    }

    /** The properties of a machine that matter to figures; unknown ones are left out. */
    Map<String, String> describe() throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        int processors = Runtime.getRuntime().availableProcessors();
        String model = valueOf("proc/cpuinfo", "model name", ":").orElse(System.getProperty("os.arch"));
        boolean virtual = valueOf("proc/cpuinfo", "flags", ":")
                .filter(flags -> (flags + " ").contains(" hypervisor "))
                .isPresent();
        facts.put("Processors", processors + " of " + model + (virtual ? ", of a virtual machine" : ""));
        valueOf("proc/meminfo", "MemTotal", ":").ifPresent(total -> facts.put("Memory", gibibytes(total)));
        String distribution = valueOf("etc/os-release", "PRETTY_NAME", "=")
                .map(name -> ", " + name.replace("\"", ""))
                .orElse("");
        facts.put("System", System.getProperty("os.name") + " " + System.getProperty("os.version") + distribution);
        facts.put("Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        return facts;
    }

    private Optional<String> valueOf(String file, String key, String separator) throws IOException {
        Path path = root.resolve(file);
        if (!Files.isReadable(path)) {
            return Optional.empty();
        }
        return Files.readAllLines(path).stream()
                .map(line -> line.split(separator, 2))
                .filter(parts -> parts.length == 2 && parts[0].strip().equals(key))
                .map(parts -> parts[1].strip())
                .findFirst();
    }

    private static String gibibytes(String kibibytes) {
        double amount = Double.parseDouble(kibibytes.replaceAll("\\D", ""));
        return String.format(Locale.ROOT, "%.0f GiB", amount / (1 << 20));
    }
}
