// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jgroups.JChannel;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TCP_NIO2;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;

/**
 * Members of a group over {@code TCP_NIO2}, with the protocols of JGroups' own {@code tcp-nio.xml} but those for members that die, or join
 * later, or find each other by multicast, since none does so here.
 */
final class JGroupsMember {
    static final String GROUP = "bench";

    private JGroupsMember() {}

    /** A member that is not connected yet, and finds the others through the first member's port. */
    static JChannel at(int port, int firstPort) throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        TCP_NIO2 transport = new TCP_NIO2();
        transport.setBindAddress(loopback);
        transport.setBindPort(port);
        transport.setPortRange(0);
        // Otherwise it would listen for questions to a multicast address.
        transport.setDiagnosticsHandler(transport.createDiagnosticsHandler().setEnabled(false));
        TCPPING discovery = new TCPPING();
        discovery.setInitialHosts(List.of(new InetSocketAddress(loopback, firstPort)));
        discovery.setPortRange(0);
        return new JChannel(
                transport,
                discovery,
                new NAKACK2().useMcastXmit(false),
                new UNICAST3(),
                new STABLE(),
                new GMS().printLocalAddress(false).setJoinTimeout(2_000),
                new UFC(),
                new MFC(),
                new FRAG2());
    }
}
