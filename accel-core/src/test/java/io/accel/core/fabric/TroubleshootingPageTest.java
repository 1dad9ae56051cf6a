// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The documentation has every reason code. */
class TroubleshootingPageTest {
    private static final Path PAGE = Path.of("..", "docs", "TROUBLESHOOTING.md");

    @Test
    void everyReasonHasItsSection() throws IOException {
        List<String> sections = Files.readAllLines(PAGE).stream()
                .filter(line -> line.matches("### [A-Z_]+"))
                .map(line -> line.substring("### ".length()))
                .toList();
        assertThat(sections)
                .containsExactlyElementsOf(
                        Arrays.stream(FallbackReason.values()).map(Enum::name).toList());
    }
}
