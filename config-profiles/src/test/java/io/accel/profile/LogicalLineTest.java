// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class LogicalLineTest {
    @Test
    void countsEveryNaturalLine() {
        assertThat(LogicalLine.of("# one\n\n  ! three\na=1\r\nb=2\rc = \\\n  3\n\n d: 4"))
                .extracting(LogicalLine::number)
                .containsExactly(4, 5, 6, 9);
    }

    @Test
    void joinsContinuationLines() {
        assertThat(LogicalLine.of("list=shm,\\\n     rdma\n"))
                .singleElement()
                .extracting(LogicalLineTest::entry)
                .isEqualTo(Map.entry("list", "shm,rdma"));
    }

    @Test
    void anEvenNumberOfBackslashesContinuesNothing() {
        assertThat(LogicalLine.of("a=x\\\\\nb=2"))
                .extracting(LogicalLine::number)
                .containsExactly(1, 2);
    }

    @Test
    void dropsSpaceAroundTheValue() {
        assertThat(entry(LogicalLine.of("ring.size :  64KiB \t ").get(0))).isEqualTo(Map.entry("ring.size", "64KiB"));
    }

    @Test
    void readsEscapes() {
        assertThat(entry(LogicalLine.of("a\\=b=\\u0041\\t.").get(0))).isEqualTo(Map.entry("a=b", "A\t."));
    }

    @Test
    void tellsAMalformedEscape() {
        assertThatThrownBy(() -> LogicalLine.of("a=\\u12").get(0).entry())
                .isInstanceOf(BadValueException.class)
                .hasMessage("malformed Unicode escape: a \\u is followed by four hexadecimal digits");
    }

    @Test
    void aBackslashAtTheEndContinuesNothing() throws BadValueException {
        assertThat(entry(LogicalLine.of("a=1\\").get(0))).isEqualTo(Map.entry("a", "1"));
        assertThat(LogicalLine.of("\\").get(0).entry()).isEmpty();
    }

    @Property(tries = 5000)
    void readsWhatThePropertiesClassReads(
            @ForAll
                    @StringLength(max = 60)
                    @Chars({'=', ':', ' ', '\t', '\f', '\\', '\n', '\r', '#', '!', 'é'})
                    @CharRange(from = 'a', to = 'd')
                    String file)
            throws IOException, BadValueException {
        Properties expected = new Properties();
        expected.load(new StringReader(file));
        expected.replaceAll((name, value) -> ((String) value).strip());

        Map<String, String> read = new HashMap<>();
        for (LogicalLine line : LogicalLine.of(file)) {
            line.entry().ifPresent(entry -> read.put(entry.getKey(), entry.getValue()));
        }
        // Properties takes a lone backslash for the empty key at a file's end, and for nothing elsewhere.
        expected.remove("");
        read.remove("");

        assertThat(read).isEqualTo(expected);
    }

    private static Map.Entry<String, String> entry(LogicalLine line) {
        try {
            return line.entry().orElseThrow();
        } catch (BadValueException e) {
            throw new AssertionError(e);
        }
    }
}
