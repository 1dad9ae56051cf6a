// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.PathInfo;
import java.lang.reflect.Method;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A channel tells its path as the provider's channels do. */
class PathTypeTest {
    @ParameterizedTest
    @ValueSource(classes = {AccelSocketChannel.class, AccelDatagramChannel.class})
    void isThatOfAllAdapters(Class<?> channel) {
        assertThat(channel.getMethods())
                .filteredOn(method -> method.getName().equals("path"))
                .singleElement()
                .extracting(Method::getReturnType)
                .isEqualTo(PathInfo.class);
    }
}
