// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.KernelDatagrams;
import io.accel.nio.contract.Path;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which datagrams the kernel carries, as told by the system, not by the provider. */
@Tag("datagram")
class DatagramPathTest extends DatagramSupport {
    @BeforeEach
    void systemTells() {
        assumeTrue(KernelDatagrams.areKnown(), "this system does not list its datagrams in /proc");
    }

    @Test
    void kernelCarriesAllOnItsOwnPath() throws IOException {
        assumeTrue(Path.current().isKernels(), "this run is not about the kernel's path");
        Ends ends = ends();
        for (int i = 0; i < 20; i++) {
            assertThat(KernelDatagrams.waitFor(ends.right())).isFalse();
            send(ends.left(), "datagram", addressOf(ends.right()));
            assertThat(KernelDatagrams.carryNextOf(ends.right(), LIMIT_MILLIS))
                    .as("datagram %d through the kernel", i)
                    .isTrue();
            assertThat(receiveText(ends.right())).isEqualTo("datagram");
        }
    }

    /** Whoever sends to a port for the first time does not wait until a better path is found. */
    @Test
    void kernelCarriesTheFirstOnEveryPath() throws IOException {
        Ends ends = new Ends(bound(), bound());
        send(ends.left(), "first", addressOf(ends.right()));
        assertThat(KernelDatagrams.carryNextOf(ends.right(), LIMIT_MILLIS)).isTrue();
        assertThat(receiveText(ends.right())).isEqualTo("first");
        assertThat(KernelDatagrams.waitFor(ends.right())).isFalse();
    }

    @Test
    void kernelCarriesNoneOnceAnotherPathIsFound() throws IOException {
        assumeFalse(Path.current().isKernels(), "the kernel carries all on this run's path");
        Ends ends = ends();
        for (int i = 0; i < 20; i++) {
            send(ends.left(), "there", addressOf(ends.right()));
            assertThat(KernelDatagrams.carryNextOf(ends.right(), LIMIT_MILLIS))
                    .as("there, %d, through the kernel", i)
                    .isFalse();
            Datagram there = receive(ends.right());
            assertThat(there.text()).isEqualTo("there");
            send(ends.right(), "back", there.source());
            assertThat(KernelDatagrams.carryNextOf(ends.left(), LIMIT_MILLIS))
                    .as("back, %d, through the kernel", i)
                    .isFalse();
            assertThat(receiveText(ends.left())).isEqualTo("back");
        }
    }
}
