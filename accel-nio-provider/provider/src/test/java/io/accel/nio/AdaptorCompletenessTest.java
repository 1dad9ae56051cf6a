// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Fails on the first JDK whose sockets have a public method that would bypass the channel. */
class AdaptorCompletenessTest {

    static List<Arguments> adaptors() {
        return List.of(
                Arguments.of(Socket.class, AccelSocket.class),
                Arguments.of(ServerSocket.class, AccelServerSocket.class));
    }

    @ParameterizedTest
    @MethodSource("adaptors")
    void everyPublicMethodIsOverridden(Class<?> socket, Class<?> adaptor) {
        assertThat(Arrays.stream(socket.getDeclaredMethods())
                        .filter(m -> Modifier.isPublic(m.getModifiers()) && !Modifier.isStatic(m.getModifiers()))
                        .filter(m -> !isDeclaredBy(adaptor, m)))
                .isEmpty();
    }

    private static boolean isDeclaredBy(Class<?> type, Method method) {
        return Arrays.stream(type.getDeclaredMethods())
                .anyMatch(m -> m.getName().equals(method.getName())
                        && Arrays.equals(m.getParameterTypes(), method.getParameterTypes()));
    }
}
