// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links take no mappings that the program may need. */
class MappingShareTest {
    private static final long LIMIT = 65_530;

    /** Connections that earlier tests have closed give their mappings back a moment later, and count until then. */
    @BeforeEach
    void awaitNoneTaken() {
        await().atMost(20, TimeUnit.SECONDS).until(() -> MappingShare.taken() == 0);
    }

    @Test
    void linksGetHalfOfWhatTheProgramLeaves() throws Exception {
        assertShare(61_530, 2_000);
    }

    @Test
    void aThousandStayFree() throws Exception {
        assertShare(64_500, 6);
        assertShare(64_800, 0);
        assertShare(LIMIT, 0);
    }

    private static void assertShare(long others, int most) throws FallbackException {
        for (int i = 0; i < most; i++) {
            MappingShare.take(LIMIT, others);
        }
        try {
            assertThatThrownBy(() -> MappingShare.take(LIMIT, others))
                    .isInstanceOfSatisfying(FallbackException.class, e -> {
                        assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES);
                        assertThat(e.isPassing()).isTrue();
                    })
                    .hasMessageContaining("vm.max_map_count");
            assertThat(MappingShare.taken()).isEqualTo(most);
        } finally {
            for (int i = 0; i < most; i++) {
                MappingShare.giveBack();
            }
        }
    }

    @Test
    void anUnknownLimitIsNone() throws Exception {
        MappingShare.take(0, 1_000_000);
        MappingShare.giveBack();
    }

    @Test
    void theLimitAndTheMappingsAreTheKernels(@TempDir Path dir) throws Exception {
        assertThat(MappingShare.limit(Path.of("/proc/sys/vm/max_map_count")))
                .isEqualTo(Long.parseLong(Files.readAllLines(Path.of("/proc/sys/vm/max_map_count"))
                        .get(0)));
        assertThat(MappingShare.limit(dir.resolve("none"))).isZero();
        Path maps = Files.writeString(dir.resolve("maps"), "one\ntwo\n".repeat(50_000));
        assertThat(MappingShare.count(maps, 1_000)).isEqualTo(100_000);
        assertThat(MappingShare.count(dir.resolve("none"), 1_000)).isNegative();
    }

    /** So that no thread looks at each of their bytes, once a second and by the interpreter. */
    @Test
    void fewMappingsAreBoundedByTheLengthOfTheirList() throws Exception {
        Path maps = Path.of("/proc/self/maps");
        long exact = MappingShare.count(maps, 0);
        assertThat(exact).isGreaterThan(20);
        assertThat(MappingShare.count(maps, 1_000_000))
                .isGreaterThanOrEqualTo(exact)
                .isLessThan(5 * exact);
    }
}
