// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.daemon.OutOfLine;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and writes are called out of line by fields from which the compiler cannot know the class that is called. */
class CompiledAloneTest {
    @ParameterizedTest
    @ValueSource(classes = {LinkIo.class, AbstractAccelStreamChannel.StreamUnsafe.class})
    void isHeldByItsInterface(Class<?> caller) {
        List<Field> fields = Arrays.stream(caller.getDeclaredFields())
                .filter(field -> OutOfLine.Call.class.isAssignableFrom(field.getType()))
                .toList();
        assertThat(fields).isNotEmpty().allSatisfy(field -> assertThat(field.getType())
                .as(field.getName())
                .isEqualTo(OutOfLine.Call.class));
    }
}
