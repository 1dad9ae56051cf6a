// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import java.util.ArrayList;
import java.util.List;

/**
 * The name of a meter and its meaning. Public because a class that another class loader defines reads it.
 *
 * @param name its name in lower case, parts separated by dots
 * @param description a sentence without a full stop
 * @param unit the unit of its values, or null if it has none or is a timer
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
