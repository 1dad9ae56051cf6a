// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.PathInfo;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accel's channels show programs the methods of the JDK's channels, and {@code path}: everything else may change at any time. */
class PublicMethodsTest {

    @ParameterizedTest
    @ValueSource(classes = {AccelSocketChannel.class, AccelServerSocketChannel.class, AccelDatagramChannel.class})
    void channelsShowWhatTheJdksDoAndTheirPath(Class<?> channel) {
        Stream<String> own = Arrays.stream(channel.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isBridge())
                .filter(method -> !isOf(channel.getSuperclass(), method))
                .map(Method::getName);
        assertThat(own).isSubsetOf("path");
        assertThat(channel.getInterfaces()).isEmpty();
    }

    /** The same holds for the channels of all adapters. */
    @ParameterizedTest
    @ValueSource(classes = {AccelSocketChannel.class, AccelDatagramChannel.class})
    void thePathOfAChannelIsToldInOneWay(Class<?> channel) {
        assertThat(channel.getMethods())
                .filteredOn(method -> method.getName().equals("path"))
                .singleElement()
                .extracting(Method::getReturnType)
                .isEqualTo(PathInfo.class);
    }

    private static boolean isOf(Class<?> type, Method method) {
        try {
            type.getMethod(method.getName(), method.getParameterTypes());
            return true;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }
}
