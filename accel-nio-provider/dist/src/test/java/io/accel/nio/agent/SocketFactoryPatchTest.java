// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The changes of the JDK's sockets, on the class files of the JDKs here. {@code SocketFactoriesIT} tests their effect. */
class SocketFactoryPatchTest {
    private static final String SOCKET = "java.net.Socket";
    private static final String SERVER_SOCKET = "java.net.ServerSocket";

    static List<byte[]> sockets() throws IOException {
        return ClassFiles.ofJdks(SOCKET, 17);
    }

    static List<byte[]> serverSockets() throws IOException {
        return ClassFiles.ofJdks(SERVER_SOCKET, 17);
    }

    @ParameterizedTest
    @MethodSource("sockets")
    void oneMethodOfSocketBeginsDifferently(byte[] original) {
        ClassFiles.assertBegunDifferently(
                original,
                SocketFactoryPatch.applyToSocket(original),
                List.of("setSocketImplFactory(Ljava/net/SocketImplFactory;)V"));
    }

    @ParameterizedTest
    @MethodSource("serverSockets")
    void twoMethodsOfServerSocketBeginDifferently(byte[] original) {
        ClassFiles.assertBegunDifferently(
                original,
                SocketFactoryPatch.applyToServerSocket(original),
                List.of("setSocketFactory(Ljava/net/SocketImplFactory;)V", "implAccept()Ljava/net/SocketImpl;"));
    }

    @Test
    void anotherFormIsRefusedWithWhatIsDifferent() throws IOException {
        byte[] file = ClassFiles.ofJdk(ClassFiles.thisJdk(), SOCKET);
        assertRefused(new byte[100], "no class file");
        assertRefused(Arrays.copyOf(file, file.length / 2), "ends too early");
        assertRefused(ClassFiles.of(SocketFactoryPatchTest.class), "another class");
        assertRefused(ClassFiles.ofJdk(ClassFiles.thisJdk(), SERVER_SOCKET), "another class");
    }

    private static void assertRefused(byte[] file, String why) {
        assertThatThrownBy(() -> SocketFactoryPatch.applyToSocket(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }
}
