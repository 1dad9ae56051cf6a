// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.daemon.Daemons;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.rdma.verbs.NativeFailures;
import java.io.File;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Any call for a multicast group fails once: there is a reason, and nothing is left of the attempt. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(60)
class GroupFailureTest {
    private static final int ENOMEM = 12;

    private static NativeFailures failures;

    @BeforeAll
    static void interpose() throws Exception {
        failures = new NativeFailures();
    }

    @AfterAll
    static void stop() {
        failures.close();
    }

    private static void soon(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(30, TimeUnit.SECONDS)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(assertion);
    }

    @ParameterizedTest
    @CsvSource({"rdma_create_event_channel, 1", "fcntl, 1", "fcntl, 2", "fcntl, 3"})
    void theThreadDoesNotStart(String call, int nth) {
        int before = descriptors();
        failures.fail(call, nth, ENOMEM);
        assertThatThrownBy(() -> GroupThread.start(Daemons::start))
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES))
                .hasMessageContaining(call);
        soon(() -> assertThat(descriptors()).isLessThanOrEqualTo(before));
    }

    @Test
    void theThreadMayNotStart() {
        int before = descriptors();
        failures.record();
        assertThatThrownBy(() -> GroupThread.start((name, body, wake) -> {
                    throw new SecurityException("no " + name);
                }))
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES))
                .hasMessageContaining("no accel-rdma-groups");
        soon(() -> assertThat(descriptors()).isLessThanOrEqualTo(before));
    }

    private static int descriptors() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }
}
