// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes rows as a JSON array of objects, and after them the failures, whose objects have {@code failed} instead of figures.
 * A missing figure is {@code null}.
 */
final class JsonPrinter {
    private static final MathContext PRECISION = new MathContext(6);

    private JsonPrinter() {}

    static String print(Result result) {
        return Stream.concat(
                        result.rows().stream().map(JsonPrinter::object),
                        result.failures().stream().map(JsonPrinter::object))
                .collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String object(Row row) {
        Figures figures = row.figures();
        Map<String, String> members = new LinkedHashMap<>();
        members.put("case", string(row.benchCase()));
        members.put("path", string(row.path()));
        members.put("profile", string(row.profile()));
        members.put("p50_us", number(figures.p50Micros()));
        members.put("p99_us", number(figures.p99Micros()));
        members.put("p999_us", number(figures.p999Micros()));
        members.put("msgs_per_s", number(figures.messagesPerSecond()));
        members.put("bytes_per_s", number(figures.bytesPerSecond()));
        members.put("alloc_per_op", number(figures.allocatedPerOp()));
        members.put("cpu_us_per_op", number(figures.cpuMicrosPerOp()));
        if (!Double.isNaN(figures.lostShare())) {
            members.put("lost_share", number(figures.lostShare()));
        }
        extra(figures.extra(), members);
        young(figures.extra().young(), members);
        Verdict verdict = row.vsKernel();
        members.put("vs_kernel", number(verdict.worst()));
        members.put("vs_kernel_p50", number(verdict.p50()));
        members.put("vs_kernel_p99", number(verdict.p99()));
        members.put("vs_kernel_rate", number(verdict.rate()));
        members.put("vs_kernel_cpu", number(verdict.cpu()));
        if (!verdict.start().ratios().isEmpty()) {
            members.put("vs_kernel_done", numbers(verdict.start().ratios()));
            members.put("must", number(verdict.start().must()));
            members.put("warm_rate_after_s", number(verdict.start().reachedSeconds()));
        }
        members.put("slower", Boolean.toString(verdict.isSlower()));
        members.put("words", string(row.words()));
        members.put("vs_raw", number(row.vsRaw()));
        members.put("bimodal", Boolean.toString(row.bimodal()));
        members.put(
                "rounds", row.rounds().stream().map(JsonPrinter::round).collect(Collectors.joining(", ", "[", "]")));
        conditions(row.conditions(), members);
        if (!row.crowd().isEmpty()) {
            members.put("crowd", string(row.crowd()));
        }
        if (row.cpu().all() > 0) {
            members.put("cpu_share", shares(row.cpu()));
        }
        if (!row.on().isEmpty()) {
            members.put("on", string(row.on()));
            members.put("vs_rstream", number(row.vsRstream()));
        }
        return object(members);
    }

    private static void extra(Extra extra, Map<String, String> members) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("connection_bytes", extra.connectionBytes());
        values.put("connection_descriptors", extra.connectionDescriptors());
        values.put("balance", extra.balance());
        values.put("linked", extra.linked());
        values.put("linked_bytes", extra.linkedBytes());
        values.put("longest_us", extra.longestMicros());
        values.forEach((key, value) -> {
            if (!Double.isNaN(value)) {
                members.put(key, number(value));
            }
        });
    }

    private static void young(Young young, Map<String, String> members) {
        if (young.isKnown()) {
            members.put(
                    "done_by_ms",
                    numbers(young.at().millis.stream().map(Integer::doubleValue).toList()));
            members.put("done", numbers(done(young)));
            members.put("cpu_s", number(young.cpuSeconds()));
            members.put("classes", number(young.classes()));
            members.put("methods", number(young.methods()));
            members.put("bytecode", number(young.bytecode()));
            members.put("compiler_s", number(young.compilerSeconds()));
        }
    }

    private static List<Double> done(Young young) {
        return young.at().millis.stream().map(young::done).toList();
    }

    private static String numbers(List<Double> values) {
        return values.stream().map(JsonPrinter::number).collect(Collectors.joining(", ", "[", "]"));
    }

    /** The fields that tell rounds apart. */
    private static String round(Figures figures) {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("p50_us", number(figures.p50Micros()));
        members.put("p99_us", number(figures.p99Micros()));
        members.put("msgs_per_s", number(figures.messagesPerSecond()));
        members.put("cpu_us_per_op", number(figures.cpuMicrosPerOp()));
        if (figures.extra().young().isKnown()) {
            members.put("done", numbers(done(figures.extra().young())));
            members.put(
                    "done_each_" + Progress.SLICE_MILLIS + "_ms",
                    numbers(figures.extra().young().progress().done()));
        }
        return object(members);
    }

    private static String shares(CpuBreakdown cpu) {
        Map<String, String> members = new LinkedHashMap<>();
        for (CpuUse use : CpuUse.values()) {
            members.put(use.name().toLowerCase(Locale.ROOT), number(cpu.share(use)));
        }
        return object(members);
    }

    private static void conditions(Conditions conditions, Map<String, String> members) {
        members.put("run_delay", number(conditions.runDelay()));
        members.put("compiler", number(conditions.compiler()));
        members.put("others", number(conditions.others()));
        members.put("steal", number(conditions.steal()));
        members.put("load", number(conditions.load()));
        members.put("warm_up_s", number(conditions.warmUpSeconds()));
        members.put("warm", Boolean.toString(conditions.warm()));
    }

    private static String object(Failure failure) {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("case", string(failure.benchCase()));
        members.put("path", string(failure.way()));
        members.put("failed", string(failure.reason()));
        return object(members);
    }

    private static String object(Map<String, String> members) {
        return members.entrySet().stream()
                .map(member -> string(member.getKey()) + ": " + member.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String number(double value) {
        return Double.isFinite(value) ? new BigDecimal(value, PRECISION).toPlainString() : "null";
    }

    private static String string(String value) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        return text.append('"').toString();
    }
}
