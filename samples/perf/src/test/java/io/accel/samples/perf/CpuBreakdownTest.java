// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CpuBreakdownTest {
    private final CpuBreakdown cpu = CpuBreakdown.of(List.of(
            "a/B.c;sun/nio/ch/EPoll.wait;Java_sun_nio_ch_EPoll_wait;epoll_wait 20",
            "a/D.e;sun/nio/ch/EPoll.wait;Java_sun_nio_ch_EPoll_wait;epoll_wait 10",
            "a/B.c;sun/nio/ch/SocketDispatcher.read0;Java_sun_nio_ch_SocketDispatcher_read0;__GI_read 5",
            "a/B.c;io/accel/core/poll/Poller.poll 15",
            "a/B.c 50"));

    @Test
    void sharesAreOfAllSamples() {
        assertThat(cpu.all()).isEqualTo(100);
        assertThat(cpu.share(CpuUse.SOCKET_CALLS)).isEqualTo(0.35);
        assertThat(cpu.share(CpuUse.JVM)).isZero();
        assertThat(CpuBreakdown.NONE.share(CpuUse.JVM)).isNaN();
    }

    @Test
    void wordsNameTheMethodsWithMost() {
        assertThat(cpu.words())
                .isEqualTo("socket calls 35 %, Accel 15 %, program 50 %; socket calls: epoll_wait 30 %, __GI_read 5 %;"
                        + " Accel: Poller.poll 15 %");
    }
}
