// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A machine without RDMA. */
@Timeout(30)
class AvailabilityTest {
    @TempDir
    Path empty;

    @Test
    void aMachineWithoutADeviceSaysSoAtOnceAndAgain() {
        Availability none = new Availability(empty.resolve("infiniband"));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(none::check)
                    .isInstanceOfSatisfying(
                            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_DEVICE))
                    .hasMessage("this machine has no RDMA device");
        }
    }

    @Test
    void anAddressWithoutADeviceIsRememberedForAWhile() throws Exception {
        InetAddress address = InetAddress.getByAddress(new byte[] {10, 1, 2, 3});
        Availability some = new Availability(empty, TimeUnit.HOURS.toNanos(1));
        some.check(address);
        some.without(address, new FallbackException(FallbackReason.NO_DEVICE, "none there"));
        assertThatThrownBy(() -> some.check(address)).hasMessage("none there");
        some.check(InetAddress.getByAddress(new byte[] {10, 1, 2, 4}));

        Availability forgetful = new Availability(empty);
        forgetful.without(address, new FallbackException(FallbackReason.NO_DEVICE, "none there"));
        await().until(() -> !isRefused(forgetful, address));
    }

    private static boolean isRefused(Availability availability, InetAddress address) {
        try {
            availability.check(address);
            return false;
        } catch (FallbackException e) {
            return true;
        }
    }

    @Test
    void errnosBecomeReasons() {
        assertThat(Failures.reasonOf("ibv_reg_mr", 12)).isEqualTo(FallbackReason.MEMLOCK);
        assertThat(Failures.reasonOf("ibv_create_cq", 12)).isEqualTo(FallbackReason.NO_RESOURCES);
        assertThat(Failures.reasonOf("rdma_create_qp", 12)).isEqualTo(FallbackReason.NO_RESOURCES);
        assertThat(Failures.reasonOf("rdma_bind_addr", 19)).isEqualTo(FallbackReason.NO_DEVICE);
        assertThat(Failures.reasonOf("rdma_bind_addr", 98)).isEqualTo(FallbackReason.RENDEZVOUS_TAKEN);
        assertThat(Failures.reasonOf("rdma_create_event_channel", 13)).isEqualTo(FallbackReason.NO_PERMISSION);
    }

    @Test
    void anOffsetThatLeavesNoPortIsRefused() throws Exception {
        RdmaConfig config =
                new RdmaConfig(PortSpace.TCP, 65_536, 1, 1, List.of(), 0, 60_000, 32, 0, 1, 1, 1, 7, 7, 0, 1, false);
        assertThat(config.ackTimeoutCode()).isEqualTo(1);
        RdmaFabric fabric = new RdmaFabric(config);
        InetSocketAddress high = new InetSocketAddress(InetAddress.getLoopbackAddress(), 6_000);
        assertThatThrownBy(() -> fabric.listen(high, null)).isInstanceOf(FallbackException.class);
    }
}
