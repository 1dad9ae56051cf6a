// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A user's file, with anything in it: its problems are reported, and never thrown; a file without problems says the same when
 * written anew.
 */
class ProfileFuzzTest {
    /** Longer files have only more lines. */
    private static final int LONGEST = 256;

    @FuzzTest
    void file(byte[] bytes) throws BadValueException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (bytes.length > LONGEST || includesAFile(text)) {
            return; // the machine's own files must not be tried
        }
        ProfileLoader loader = new ProfileLoader();
        loader.read(new Source(Origin.Kind.FILE, "some.properties", "some.properties", text));
        loader.settle();
        for (Problem problem : loader.problems()) {
            assertThat(problem.message()).isNotBlank();
            assertThat(problem.origin().line()).isBetween(1, (int) text.lines().count());
        }
        for (Map.Entry<Key<?>, Setting<?>> setting : loader.settings().entrySet()) {
            if (!setting.getValue().origin().equals(Origin.DEFAULT)) {
                checkWrittenAnew(setting.getKey(), setting.getValue());
            }
        }
        for (TransportRule rule : loader.rules()) {
            TransportRule again = TransportRule.parse(rule.number(), rule.text(), rule.origin());
            assertThat(again.toString()).isEqualTo(rule.toString());
        }
    }

    private static <T> void checkWrittenAnew(Key<T> key, Setting<?> setting) throws BadValueException {
        @SuppressWarnings("unchecked") // A setting is stored under its own key only.
        T value = (T) setting.value();
        assertThat(key.parse(key.render(value))).as(key.toString()).isEqualTo(value);
    }

    private static boolean includesAFile(String text) {
        return LogicalLine.of(text).stream().anyMatch(ProfileFuzzTest::includesAFile);
    }

    private static boolean includesAFile(LogicalLine line) {
        try {
            return line.entry()
                    .filter(entry -> entry.getKey().equals("include"))
                    .filter(entry -> !Presets.NAMES.contains(entry.getValue()))
                    .isPresent();
        } catch (BadValueException e) {
            return false; // a problem of the file, which the loader reports
        }
    }
}
