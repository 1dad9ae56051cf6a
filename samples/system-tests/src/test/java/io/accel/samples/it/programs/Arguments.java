// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.util.HashMap;
import java.util.Map;

/** Arguments of the form {@code key=value}. Immutable. */
final class Arguments {
    private final Map<String, String> values = new HashMap<>();

    Arguments(String[] arguments) {
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("'" + argument + "' is not of the form key=value");
            }
            values.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
    }

    String get(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    long get(String key, long otherwise) {
        String value = values.get(key);
        return value == null ? otherwise : Long.parseLong(value);
    }
}
