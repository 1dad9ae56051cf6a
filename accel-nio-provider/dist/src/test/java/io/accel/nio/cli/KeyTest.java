// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyTest {
    private static List<Key> keys(String sent) {
        return Key.in(sent.getBytes(StandardCharsets.ISO_8859_1), sent.length());
    }

    @Test
    void arrowsAreThoseOfBothModesOfATerminal() {
        assertThat(keys("\033[A\033OB\033[5~\033[6~")).containsExactly(Key.UP, Key.DOWN, Key.PAGE_UP, Key.PAGE_DOWN);
        assertThat(keys("\033[H\033[1~\033OF\033[4~")).containsExactly(Key.HOME, Key.HOME, Key.END, Key.END);
    }

    @Test
    void lettersAreThoseOfLess() {
        assertThat(keys("kj bgGsdq"))
                .containsExactly(
                        Key.UP,
                        Key.DOWN,
                        Key.PAGE_DOWN,
                        Key.PAGE_UP,
                        Key.HOME,
                        Key.END,
                        Key.SORT,
                        Key.DELTAS,
                        Key.QUIT);
    }

    @Test
    void otherKeysMeanNothingAndHideNone() {
        assertThat(keys("\033[3~x\033[1;5Cj\033")).containsExactly(Key.DOWN);
        assertThat(keys("\033[")).isEmpty();
        assertThat(keys("\033O")).isEmpty();
        assertThat(keys("\033j")).containsExactly(Key.DOWN);
    }
}
