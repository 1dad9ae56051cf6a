// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The type of a list of some of a few words, whose order matters, separated by commas; at least one, and none twice.
 */
record EnumListType<E extends Enum<E>>(EnumType<E> element) implements ValueType<List<E>> {
    @Override
    public String name() {
        return "list";
    }

    @Override
    public String allowed() {
        return "one or more of " + element.allowed() + ", separated by commas, each once";
    }

    @Override
    public List<E> parse(String text) throws BadValueException {
        if (text.isBlank()) {
            throw new BadValueException("the list is empty");
        }
        List<E> values = new ArrayList<>();
        for (int from = 0; from <= text.length(); ) {
            int comma = text.indexOf(',', from);
            int end = comma < 0 ? text.length() : comma;
            String word = text.substring(from, end);
            from = end + 1;
            E value = element.parse(word.strip());
            if (values.contains(value)) {
                throw new BadValueException("'" + word.strip() + "' twice");
            }
            values.add(value);
        }
        return List.copyOf(values);
    }

    @Override
    public String render(List<E> value) {
        return value.stream().map(element::render).collect(Collectors.joining(","));
    }
}
