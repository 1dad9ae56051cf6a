// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The type of one of a few words, which are an enum's constants in lower case. It is given the constants, since {@code Class.getEnumConstants}
 * calls a method by reflection, for which newer JDKs make classes: milliseconds while a process starts.
 */
record EnumType<E extends Enum<E>>(List<E> constants) implements ValueType<E> {
    @Override
    public String name() {
        return "word";
    }

    @Override
    public String allowed() {
        return String.join(", ", words().keySet());
    }

    @Override
    public E parse(String text) throws BadValueException {
        E value = words().get(text);
        if (value == null) {
            throw new BadValueException("unknown word '" + text + "'" + NearestName.hint(text, words().keySet()));
        }
        return value;
    }

    @Override
    public String render(E value) {
        return word(value);
    }

    Map<String, E> words() {
        Map<String, E> words = new LinkedHashMap<>();
        for (E value : constants) {
            words.put(word(value), value);
        }
        return words;
    }

    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
