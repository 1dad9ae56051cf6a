// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The change of the JDK's own provider, on the class files of the JDKs here. {@code DatagramSocketsIT} tests its effect. */
class DatagramSocketPatchTest {
    private static final String PROVIDER = "sun.nio.ch.SelectorProviderImpl";
    private static final List<String> CHANGED =
            List.of("openUninterruptibleDatagramChannel()Ljava/nio/channels/DatagramChannel;");

    static List<byte[]> classFiles() throws IOException {
        return ClassFiles.ofJdks(PROVIDER, 17);
    }

    @ParameterizedTest
    @MethodSource("classFiles")
    void theMethodBeginsDifferentlyAndNothingElseChanges(byte[] original) {
        ClassFiles.assertBegunDifferently(original, DatagramSocketPatch.apply(original), CHANGED);
    }

    @Test
    void anotherFormIsRefusedWithWhatIsDifferent() throws IOException {
        byte[] file = ClassFiles.ofJdk(ClassFiles.thisJdk(), PROVIDER);
        assertRefused(new byte[100], "no class file");
        assertRefused(Arrays.copyOf(file, file.length / 2), "ends too early");
        assertRefused(ClassFiles.of(DatagramSocketPatchTest.class), "no SelectorProvider of its own");
        assertRefused(
                ClassFiles.ofJdk(ClassFiles.thisJdk(), "sun.nio.ch.FileChannelImpl"), "no SelectorProvider of its own");
    }

    private static void assertRefused(byte[] file, String why) {
        assertThatThrownBy(() -> DatagramSocketPatch.apply(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }
}
