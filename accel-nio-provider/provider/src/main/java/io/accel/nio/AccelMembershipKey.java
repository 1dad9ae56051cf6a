// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.socket.DatagramGroups;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.channels.MembershipKey;
import java.nio.channels.MulticastChannel;

/** The kernel channel's membership in a group, seen as a membership of our channel over it. */
final class AccelMembershipKey extends MembershipKey {
    private final AccelDatagramChannel channel;
    private final DatagramGroups groups;
    private final MembershipKey kernel;

    AccelMembershipKey(AccelDatagramChannel channel, DatagramGroups groups, MembershipKey kernel) {
        this.channel = channel;
        this.groups = groups;
        this.kernel = kernel;
    }

    @Override
    public boolean isValid() {
        return kernel.isValid();
    }

    @Override
    public void drop() {
        boolean wasValid = kernel.isValid();
        kernel.drop();
        if (wasValid) { // a later membership may be equal
            groups.left(kernel.group(), kernel.networkInterface(), kernel.sourceAddress());
        }
    }

    @Override
    public MembershipKey block(InetAddress source) throws IOException {
        kernel.block(source);
        groups.blocked(kernel.group(), kernel.networkInterface(), source);
        return this;
    }

    @Override
    public MembershipKey unblock(InetAddress source) {
        kernel.unblock(source);
        groups.unblocked(kernel.group(), kernel.networkInterface(), source);
        return this;
    }

    @Override
    public MulticastChannel channel() {
        return channel;
    }

    @Override
    public InetAddress group() {
        return kernel.group();
    }

    @Override
    public NetworkInterface networkInterface() {
        return kernel.networkInterface();
    }

    @Override
    public InetAddress sourceAddress() {
        return kernel.sourceAddress();
    }

    @Override
    public String toString() {
        return kernel.toString();
    }
}
