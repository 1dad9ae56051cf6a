// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.regex.Pattern;

/** The type of the list of metrics exports: {@code jmx} and {@code prometheus[:[HOST:]PORT]}, or nothing. */
record MetricsType() implements ValueType<String> {
    /** The syntax of a place; compiled only where there is one. */
    private static final class Place {
        static final Pattern SYNTAX =
                Pattern.compile("jmx|prometheus(:(([^\\[\\]:,\\s]+|\\[[0-9A-Fa-f:.%]+]):)?[0-9]{1,5})?");
    }

    @Override
    public String name() {
        return "list";
    }

    @Override
    public String allowed() {
        return "nothing, or one or more of jmx, prometheus[:[HOST:]PORT], separated by commas";
    }

    @Override
    public String parse(String text) throws BadValueException {
        if (text.isBlank()) {
            return "";
        }
        for (String place : text.split(",", -1)) {
            if (!Place.SYNTAX.matcher(place.strip()).matches()) {
                throw new BadValueException(
                        "'" + place.strip() + "' is neither jmx nor prometheus, perhaps with an address");
            }
        }
        return text;
    }

    @Override
    public String render(String value) {
        return value;
    }
}
