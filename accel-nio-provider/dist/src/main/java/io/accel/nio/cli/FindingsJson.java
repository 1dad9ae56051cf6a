// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.nio.doctor.Finding;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The doctor's findings as a JSON object. */
final class FindingsJson {
    private FindingsJson() {}

    static String print(List<Finding> findings) {
        return findings.stream()
                .map(FindingsJson::object)
                .collect(Collectors.joining(
                        ",\n    ",
                        "{\n  \"status\": " + status(worst(findings)) + ",\n  \"checks\": [\n    ",
                        "\n  ]\n}"));
    }

    static Finding.Status worst(List<Finding> findings) {
        return findings.stream()
                .map(Finding::status)
                .max(Comparator.naturalOrder())
                .orElse(Finding.Status.OK);
    }

    private static String object(Finding finding) {
        return "{\"check\": " + string(finding.check()) + ", \"status\": " + status(finding.status()) + ", \"found\": "
                + string(finding.found()) + ", \"advice\": "
                + (finding.advice() == null ? "null" : string(finding.advice())) + "}";
    }

    private static String status(Finding.Status status) {
        return string(status.name().toLowerCase(Locale.ROOT));
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
