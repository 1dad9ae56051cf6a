package io.accel.core.observe.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * What a meter is called and what it means. Public because a class that another class loader defines reads it.
 *
 * @param name in lower case, parts separated by dots
 * @param description a sentence without a full stop
 * @param unit of what is counted or shown, or null if it has none or is a timer
 * @param tags names and values, alternately
 */
public record MeterId(String name, String description, String unit, List<String> tags) {
    static MeterId of(String name, String description) {
        return new MeterId(name, description, null, List.of());
    }

    MeterId in(String measure) {
        return new MeterId(name, description, measure, tags);
    }

    MeterId tag(String key, String value) {
        List<String> more = new ArrayList<>(tags);
        more.add(key);
        more.add(value);
        return new MeterId(name, description, unit, List.copyOf(more));
    }
}
