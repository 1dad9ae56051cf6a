// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The change of the JDK's class of file channels, on the class files of the JDKs here. {@code FileTransferIT} tests its effect. */
class FileTransferPatchTest {
    private static final String FILES = "sun.nio.ch.FileChannelImpl";
    private static final List<String> CHANGED = List.of("transferTo(JJLjava/nio/channels/WritableByteChannel;)J");

    static List<byte[]> classFiles() throws IOException {
        return ClassFiles.ofJdks(FILES, 17);
    }

    @ParameterizedTest
    @MethodSource("classFiles")
    void theMethodBeginsDifferentlyAndNothingElseChanges(byte[] original) {
        ClassFiles.assertBegunDifferently(original, FileTransferPatch.apply(original), CHANGED);
    }

    @Test
    void anotherFormIsRefusedWithWhatIsDifferent() throws IOException {
        byte[] file = ClassFiles.ofJdk(ClassFiles.thisJdk(), FILES);
        assertRefused(new byte[100], "no class file");
        assertRefused(Arrays.copyOf(file, file.length / 2), "ends too early");
        assertRefused(ClassFiles.of(FileTransferPatchTest.class), "no FileChannel of its own");
        assertRefused(
                ClassFiles.ofJdk(ClassFiles.thisJdk(), "sun.nio.ch.SimpleAsynchronousFileChannelImpl"),
                "no FileChannel of its own");
    }

    private static void assertRefused(byte[] file, String why) {
        assertThatThrownBy(() -> FileTransferPatch.apply(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }
}
