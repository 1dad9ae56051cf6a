// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** All keys that the tuning guide names exist. */
class DocumentedKeysTest {
    private static final Path GUIDE = Path.of("..", "docs", "TUNING.md");
    private static final Pattern KEY = Pattern.compile("`([a-z]+(?:-[a-z]+)*\\.[a-z.-]+[a-z])(?:=([^`]*))?`");

    /** Names of meters, which the guide has as well. */
    private static final String METER = "accel.";

    @Test
    void everyKeyOfTheGuideIsOneOfTheSchema() throws IOException {
        Set<String> named = KEY.matcher(Files.readString(GUIDE))
                .results()
                .map(match -> match.group(1))
                .filter(name -> !name.startsWith(METER) && !name.startsWith("rule."))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(named).hasSizeGreaterThan(15).isSubsetOf(Keys.names());
    }

    @Test
    void everyValueOfTheGuideIsAllowed() throws IOException, BadValueException {
        int values = 0;
        for (MatchResult match : KEY.matcher(Files.readString(GUIDE)).results().toList()) {
            if (match.group(2) != null && Keys.find(match.group(1)) != null) {
                assertThat(Keys.find(match.group(1)).parse(match.group(2))).isNotNull();
                values++;
            }
        }
        assertThat(values).isGreaterThanOrEqualTo(3);
    }
}
