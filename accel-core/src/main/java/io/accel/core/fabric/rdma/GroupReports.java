// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.HashMap;
import java.util.Map;

/**
 * Sends and receives {@link GroupReport}s, by a socket of the kernel's that this process has from when it first needs one. A publisher
 * whose datagrams go by the device alone names the socket's port in them. A member that has lost its device reports there, and the
 * publisher goes back to the kernel for as long as reports come. Used by the {@link GroupThread} alone.
 */
final class GroupReports {
    private static final Log LOG = Log.of(GroupReports.class);
    /** How many are received in a turn. */
    private static final int BATCH = 64;

    private final GroupThread thread;
    /** The publishers of this process, by the upper half of their numbers. */
    private final Map<Integer, GroupOutlet> publishers = new HashMap<>();

    private final ByteBuffer received = ByteBuffer.allocate(GroupReport.SIZE + 1);
    /** Null until it is first needed. */
    private DatagramChannel channel;

    GroupReports(GroupThread thread) {
        this.thread = thread;
    }

    /** The port where reports are received, 1 to 65535; 0 if there can be none. */
    int port() {
        return channel == null && !open() ? 0 : channel.socket().getLocalPort();
    }

    private boolean open() {
        DatagramChannel opened = null;
        try {
            opened = JdkAccess.kernelProvider().openDatagramChannel(StandardProtocolFamily.INET);
            opened.bind(new InetSocketAddress(0)).configureBlocking(false);
            thread.watch(opened, this::receive);
            channel = opened;
            return true;
        } catch (IOException | SecurityException e) {
            LOG.get().log(Level.DEBUG, "members that lose their device cannot say so", e);
            Endpoint.close(opened, "socket for the reports of members");
            return false;
        }
    }

    void add(int publisher, GroupOutlet outlet) {
        publishers.put(publisher, outlet);
    }

    void remove(int publisher) {
        publishers.remove(publisher);
    }

    /** Says to a publisher that its datagrams are not heard by the device. */
    void report(InetSocketAddress to, long publisher) {
        try {
            if (port() != 0) {
                int unused = channel.send(GroupReport.of(publisher), to);
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "a report to a publisher is lost, another will follow", e);
        }
    }

    private void receive() {
        try {
            for (int i = 0; i < BATCH; i++) {
                InetSocketAddress from = (InetSocketAddress) channel.receive(received.clear());
                if (from == null) {
                    return;
                }
                GroupOutlet outlet = GroupReport.isValid(received.flip())
                        ? publishers.get((int) (GroupReport.publisher(received) >>> Integer.SIZE))
                        : null;
                if (outlet != null) {
                    outlet.reported(from.getAddress());
                }
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "a report of a member is lost, another will follow", e);
        }
    }
}
