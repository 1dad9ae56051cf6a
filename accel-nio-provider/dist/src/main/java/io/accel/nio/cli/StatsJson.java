// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.Figure;
import io.accel.core.observe.ProcessSample;
import java.util.List;
import java.util.Map;

/** Samples as a JSON document; times are nanoseconds, moments milliseconds since 1970. */
final class StatsJson {
    private final StringBuilder text = new StringBuilder();
    /** Whether the next member or element is the first one. */
    private boolean first = true;

    private StatsJson() {}

    static String of(List<Seen> processes) {
        StatsJson json = new StatsJson();
        json.begin('{').key("processes").begin('[');
        processes.forEach(json::process);
        return json.end(']').end('}').text.toString();
    }

    private void process(Seen seen) {
        ProcessSample sample = seen.sample();
        element().begin('{');
        number("pid", sample.pid());
        string("host", sample.host());
        string("user", seen.user());
        string("command", sample.command());
        string("profile", sample.profile());
        number("startedMillis", sample.startedMillis());
        number("takenMillis", sample.takenMillis());
        key("figures").begin('{');
        for (Map.Entry<String, Long> figure : sample.figures().entrySet()) {
            number(figure.getKey(), figure.getValue());
        }
        end('}');
        key("connections").begin('[');
        sample.connections().forEach(this::connection);
        end(']');
        number("omitted", sample.omitted());
        end('}');
    }

    private void connection(ConnectionSample connection) {
        element().begin('{');
        number("id", connection.id());
        string("role", connection.role());
        string("path", connection.path());
        string("reason", connection.reason());
        string("detail", connection.detail());
        string("state", connection.state());
        string("local", connection.local());
        string("remote", connection.remote());
        number("openedMillis", connection.openedMillis());
        number("queued.in", connection.queuedIn());
        number("queued.out", connection.queuedOut());
        number("stalled.nanos", connection.stalledNanos());
        for (Figure figure : Figure.values()) {
            number(figure.text(), connection.figures().get(figure));
        }
        end('}');
    }

    private void number(String name, long value) {
        key(name).text.append(value);
    }

    private void string(String name, String value) {
        key(name).quote(value);
    }

    private StatsJson key(String name) {
        element().quote(name).text.append(':');
        return this;
    }

    private StatsJson element() {
        if (!first) {
            text.append(',');
        }
        first = false;
        return this;
    }

    private StatsJson begin(char bracket) {
        text.append(bracket);
        first = true;
        return this;
    }

    private StatsJson end(char bracket) {
        text.append(bracket);
        first = false;
        return this;
    }

    private StatsJson quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                text.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            } else {
                text.append(c);
            }
        }
        text.append('"');
        return this;
    }
}
