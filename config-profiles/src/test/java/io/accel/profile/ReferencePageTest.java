// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReferencePageTest {
    private static final Path PAGE = Path.of("..", "docs", "PROFILES.md");

    @Test
    void thePageIsThatOfTheSchema() throws IOException {
        String page = ReferencePage.render();
        if (Boolean.getBoolean("docs.write")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE)
                .as("docs/PROFILES.md is out of date: run this test with -Ddocs.write=true")
                .hasContent(page);
    }
}
