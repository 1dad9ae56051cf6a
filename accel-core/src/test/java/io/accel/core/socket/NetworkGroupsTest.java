// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.datagram.DatagramReception;
import io.accel.core.datagram.GroupReceiver;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.Subscription;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NetworkGroupsTest {
    private static final Inet4Address GROUP = (Inet4Address) GroupLab.ip("239.11.22.34");
    private static final Inet4Address HERE = (Inet4Address) GroupLab.ip("192.0.2.1");
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(GROUP, 5_000);
    private static final GroupFlow FLOW =
            new GroupFlow(ADDRESS, 1, new InetSocketAddress(GroupLab.ip("192.0.2.2"), 6_000), true);

    private final FallbackException lost = new FallbackException(FallbackReason.LINK_LOST, "gone");
    private final Network network = new Network();
    private final NetworkGroups groups = new NetworkGroups(null, 1 << 16);

    /** A network whose device comes and goes as a test wants. */
    private static final class Network implements GroupNetwork {
        private final List<Listener> joined = new ArrayList<>();

        @Override
        public Outlet open(GroupFlow flow, int hops, Executor half, Watch watch) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Membership join(Inet4Address group, Inet4Address on, Listener listener) {
            joined.add(listener);
            return () -> {
                joined.remove(listener);
                listener.ended();
            };
        }

        void brings(int number) {
            ByteBuffer datagram = ByteBuffer.allocate(100).putInt(0, number);
            joined.get(0).arrived(7, number, () -> FLOW, datagram);
        }
    }

    private GroupNetwork.Membership join(List<FallbackException> told) {
        return groups.join(GROUP, HERE, network, told::add);
    }

    private static int heard(GroupReceiver receiver) throws Exception {
        int count = 0;
        while (receiver.next() != DatagramReception.NONE) {
            receiver.skip();
            count++;
        }
        return count;
    }

    @Test
    void aLossEndsWhatIsHeardAndEachMemberIsTold() throws Exception {
        List<FallbackException> first = new ArrayList<>();
        List<FallbackException> second = new ArrayList<>();
        GroupNetwork.Membership one = join(first);
        GroupNetwork.Membership two = join(second);
        assertThat(network.joined).as("memberships of one process").hasSize(1);
        network.joined.get(0).opened();
        network.brings(0);
        network.brings(1);
        String name = groups.publications(ADDRESS).iterator().next();
        Subscription before = groups.subscribe(name);
        network.joined.get(0).closed(lost);
        assertThat(first).containsExactly(lost);
        assertThat(second).containsExactly(lost);
        assertThat(groups.publications(ADDRESS)).isEmpty();
        assertThat(before.peerGone()).isTrue();
        assertThat(heard(new GroupReceiver(before, 0))).as("what came before").isEqualTo(2);
        before.free();

        List<FallbackException> late = new ArrayList<>();
        GroupNetwork.Membership third = join(late);
        assertThat(late).containsExactly(lost);
        third.close();

        network.joined.get(0).opened();
        network.brings(5);
        String again = groups.publications(ADDRESS).iterator().next();
        assertThat(again).isNotEqualTo(name);
        Subscription after = groups.subscribe(again);
        GroupReceiver receiver = new GroupReceiver(after, 0);
        assertThat(heard(receiver)).isEqualTo(1);
        assertThat(receiver.lost()).as("before it was heard again").isZero();
        after.free();

        List<FallbackException> untold = new ArrayList<>();
        join(untold).close();
        assertThat(untold).isEmpty();
        one.close();
        assertThat(network.joined).hasSize(1);
        two.close();
        assertThat(network.joined).isEmpty();
        assertThat(groups.publications(ADDRESS)).isEmpty();
    }
}
