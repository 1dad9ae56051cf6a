// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupNetwork;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a publisher, or a member that hears no datagrams, is told by the network: "opened", "closed REASON" and "ended". */
final class GroupTold implements GroupNetwork.Listener {
    private final List<String> all = new CopyOnWriteArrayList<>();

    List<String> all() {
        return List.copyOf(all);
    }

    @Override
    public void opened() {
        all.add("opened");
    }

    @Override
    public void closed(FallbackException why) {
        all.add("closed " + why.reason());
    }

    @Override
    public void ended() {
        all.add("ended");
    }

    @Override
    public void arrived(long publisher, long number, GroupNetwork.Origin origin, ByteBuffer datagram) {
        all.add("datagram " + number);
    }

    @Override
    public void ended(long publisher) {
        all.add("end of " + publisher);
    }
}
