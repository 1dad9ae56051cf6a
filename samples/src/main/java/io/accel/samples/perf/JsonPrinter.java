package io.accel.samples.perf;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes rows as a JSON array of flat objects; a figure that there is not is {@code null}. */
final class JsonPrinter {
    private static final MathContext PRECISION = new MathContext(6);

    private JsonPrinter() {}

    static String print(List<Row> rows) {
        return rows.stream().map(JsonPrinter::object).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
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
        members.put("vs_kernel", number(row.vsKernel()));
        members.put("vs_raw", number(row.vsRaw()));
        if (!row.on().isEmpty()) {
            members.put("on", string(row.on()));
            members.put("vs_rstream", number(row.vsRstream()));
        }
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
