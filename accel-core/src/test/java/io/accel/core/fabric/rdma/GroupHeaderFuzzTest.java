// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.rdma.verbs.GlobalRoute;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The memory of a receive: a route and a header, or anything else, which is refused. */
class GroupHeaderFuzzTest {
    @FuzzTest
    void received(byte[] bytes) {
        int slot = GlobalRoute.SIZE + RdmaGroups.MOST_MTU;
        ByteBuffer memory = ByteBuffer.wrap(Arrays.copyOf(bytes, slot));
        int received = Math.min(bytes.length, slot) - GlobalRoute.SIZE;
        int at = GlobalRoute.SIZE;
        if (!GroupHeader.isValid(memory, at, received)) {
            return;
        }
        GroupFlow flow = GroupHeader.flow(memory, at, 1);
        assertThat(flow.group().getAddress().isMulticastAddress()).isTrue();
        assertThat(flow.source().getAddress().isMulticastAddress()).isFalse();
        assertThat(flow.source().getAddress().isAnyLocalAddress()).isFalse();
        assertThat(flow.group().getPort()).isPositive();
        assertThat(flow.source().getPort()).isPositive();
        assertThat(GroupHeader.length(memory, at)).isEqualTo(received - GroupHeader.SIZE);
        assertThat(GroupHeader.number(memory, at)).isNotNegative();
        ByteBuffer again = ByteBuffer.allocate(GroupHeader.SIZE);
        GroupHeader.prepare(again, 0, flow, GroupHeader.publisher(memory, at), GroupHeader.reports(memory, at));
        GroupHeader.finish(
                again,
                0,
                GroupHeader.flags(memory, at),
                GroupHeader.length(memory, at),
                GroupHeader.number(memory, at));
        assertThat(again).isEqualTo(memory.slice(at, GroupHeader.SIZE));
        long identity = GroupHeader.identity(memory, at, 1);
        again.putInt(32, again.getInt(32) ^ 1);
        assertThat(GroupHeader.identity(again, 0, 1))
                .as("another source's publisher")
                .isNotEqualTo(identity);
        // A route never makes a datagram another sender's.
        int source = GroupHeader.source(memory, at);
        int group = GroupHeader.group(memory, at);
        boolean isInternet4 = memory.get(20) == 0x45 && memory.getInt(36) == group;
        if (GlobalRoute.isOf(memory, 0, source, group) && isInternet4) {
            assertThat(GlobalRoute.isOf(memory, 0, source + 1, group)).isFalse();
        }
    }
}
