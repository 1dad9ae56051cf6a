// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CoresTest {
    @Test
    void theKernelsListsAreRead() {
        assertThat(Cores.parse("0-3")).containsExactly(0, 1, 2, 3);
        assertThat(Cores.parse("1,4-5,63")).containsExactly(1, 4, 5, 63);
        assertThat(Cores.parse("0")).containsExactly(0);
    }

    @Test
    void eachEndHasItsOwn() {
        Cores cores = new Cores("0,1", "2,3");
        assertThat(cores.prefix(End.SERVER)).containsExactly("taskset", "-c", "0,1");
        assertThat(cores.prefix(End.CLIENT)).containsExactly("taskset", "-c", "2,3");
        assertThat(Cores.ANY.prefix(End.CLIENT)).isEmpty();
    }
}
