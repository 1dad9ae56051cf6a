// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeysTest {
    static List<Key<?>> keys() {
        return Keys.all();
    }

    @ParameterizedTest
    @MethodSource("keys")
    <T> void readsItsOwnDefault(Key<T> key) throws BadValueException {
        assertThat(key.parse(key.render(key.defaultValue()))).isEqualTo(key.defaultValue());
    }

    @ParameterizedTest
    @MethodSource("keys")
    void isNamedAndDescribed(Key<?> key) {
        assertThat(key.name()).matches("[a-z]+([.-][a-z]+)*");
        assertThat(key.description()).endsWith(".");
        assertThat(key.allowed()).isNotBlank();
        assertThat(Keys.isReserved(key.name())).isFalse();
    }

    @Test
    void listsEveryConstant() throws IllegalAccessException {
        List<Object> constants = new ArrayList<>();
        for (Field field : Keys.class.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers()) && field.getType() == Key.class) {
                constants.add(field.get(null));
            }
        }
        assertThat(Keys.all()).isNotEmpty().map(key -> (Object) key).containsExactlyElementsOf(constants);
    }

    @Test
    void reservesTheNamesOfOthers() {
        assertThat(Keys.isReserved("profile")).isTrue();
        assertThat(Keys.isReserved("profile.dir")).isTrue();
        assertThat(Keys.isReserved("profiles")).isFalse();
        assertThat(Keys.isReserved("on-error")).isTrue();
        assertThat(Keys.isReserved("ring.size")).isFalse();
    }
}
