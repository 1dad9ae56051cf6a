// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Links take no descriptors that the program may need. */
class DescriptorShareTest {
    private static final long ALL = Long.MAX_VALUE;

    /** Connections that earlier tests have closed give their descriptors back a moment later, and count until then. */
    @BeforeEach
    void awaitNoneTaken() {
        await().atMost(20, TimeUnit.SECONDS).until(DescriptorShareTest::isNoneTaken);
    }

    private static boolean isNoneTaken() {
        System.gc(); // which closes the selectors that threads of earlier tests have slept in
        try {
            DescriptorShare.take(8, ALL); // of which links get one
        } catch (FallbackException e) {
            return false;
        }
        DescriptorShare.giveBack();
        return true;
    }

    @Test
    void linksGetAnEighth() throws Exception {
        for (int i = 0; i < 10; i++) {
            DescriptorShare.take(80, ALL);
        }
        try {
            assertThatThrownBy(() -> DescriptorShare.take(80, ALL))
                    .isInstanceOfSatisfying(FallbackException.class, e -> {
                        assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES);
                        assertThat(e.isPassing()).isTrue();
                    })
                    .hasMessageContaining("10 of the 80 file descriptors")
                    .hasMessageContaining("ulimit -n");
            assertThat(Shortage.isOn(System.nanoTime())).isTrue();
            DescriptorShare.giveBack();
            assertThatCode(() -> DescriptorShare.take(80, ALL)).doesNotThrowAnyException();
        } finally {
            for (int i = 0; i < 10; i++) {
                DescriptorShare.giveBack();
            }
        }
    }

    @Test
    void aProcessThatHasUsedLessThanAnEighthIsFarFromAShortage() {
        assertThat(DescriptorShare.isFarFromAll(65_536, 60_000)).isTrue();
        assertThat(DescriptorShare.isFarFromAll(65_536, 57_344)).isFalse();
        assertThat(DescriptorShare.isFarFromAll(4_096, 4_075)).as("few at all").isFalse();
        assertThat(DescriptorShare.isFarFromAll(0, ALL)).isTrue();
    }

    @Test
    void withoutALimitTheyGetAnyNumber() throws Exception {
        DescriptorShare.take(0, ALL);
        DescriptorShare.giveBack();
    }

    @Test
    void aQuarterStaysFree() throws Exception {
        assertThatThrownBy(() -> DescriptorShare.take(80, 20))
                .isInstanceOfSatisfying(FallbackException.class, e -> {
                    assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES);
                    assertThat(e.isPassing()).isTrue();
                })
                .hasMessageContaining("20 of the 80 file descriptors");
        DescriptorShare.take(80, 21);
        DescriptorShare.giveBack();
    }

    @Test
    void ofManyNoMoreThanSomeThousandStayFree() throws Exception {
        DescriptorShare.take(1_000_000, 5_000);
        DescriptorShare.giveBack();
    }
}
