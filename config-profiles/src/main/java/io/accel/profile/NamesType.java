// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.ArrayList;
import java.util.List;

/** The type of a list of names, separated by commas, none twice; or nothing. {@code meaning} says what they name. */
record NamesType(String meaning) implements ValueType<List<String>> {
    @Override
    public String name() {
        return "list";
    }

    @Override
    public String allowed() {
        return "nothing, or one or more " + meaning + ", separated by commas, each once";
    }

    @Override
    public List<String> parse(String text) throws BadValueException {
        if (text.isBlank()) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            String name = each.strip();
            if (name.isEmpty()) {
                throw new BadValueException("a name is empty");
            }
            if (names.contains(name)) {
                throw new BadValueException("'" + name + "' twice");
            }
            names.add(name);
        }
        return List.copyOf(names);
    }

    @Override
    public String render(List<String> value) {
        return String.join(",", value);
    }
}
