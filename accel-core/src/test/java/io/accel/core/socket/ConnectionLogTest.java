// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import java.net.SocketAddress;
import org.junit.jupiter.api.Test;

/** Nothing is written out for a line that nobody reads. */
class ConnectionLogTest {
    private final Counting local = new Counting();
    private final Counting remote = new Counting();

    @Test
    void anAddressIsWrittenOutForALineAlone() {
        ConnectionLog log = new ConnectionLog(false);
        for (int i = 0; i < 10; i++) {
            log.connected(local, remote, new PathInfo("shm", null, null));
            log.connected(local, remote, new PathInfo("kernel", FallbackReason.TOO_LITTLE, null));
            log.accepted(local, remote, new PathInfo("shm", null, null));
            log.moved(local, remote, new PathInfo("kernel", FallbackReason.IDLE, null));
        }
        assertThat(local.written + remote.written).isZero();
        log.connected(local, remote, new PathInfo("kernel", FallbackReason.SHM_FULL, null));
        assertThat(local.written).isPositive();
        assertThat(remote.written).isPositive();
    }

    private static final class Counting extends SocketAddress {
        private static final long serialVersionUID = 1L;

        private int written;

        @Override
        public String toString() {
            written++;
            return "an address";
        }
    }
}
