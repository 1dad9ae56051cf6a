// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import java.io.IOException;
import java.io.InterruptedIOException;

/**
 * A bond of two links on a host of the lab, one of which carries while the other waits, with a device on the bond, {@code rxe9}. Its cables
 * end in the bridge to the other host, where there is one. A host has one bond at a time.
 */
final class Bond implements AutoCloseable {
    private static final String MAKE = "for i in 0 1; do ip link add s$i type veth peer name p$i"
            + " && ip link set p$i mtu 9000 up || exit 1;"
            + " [ ! -e /sys/class/net/cable ] || ip link set p$i master cable || exit 1; done;"
            // No other interface on the same cable answers for the bond's address: the device would not see what goes
            // there.
            + " echo 1 >/proc/sys/net/ipv4/conf/all/arp_ignore; ip link add bond9 type bond mode active-backup miimon 100 OPTIONS"
            + " && ip link set s0 master bond9 && ip link set s1 master bond9 && ip addr add ADDRESS/24 dev bond9"
            + " && ip link set bond9 mtu 9000 up && rdma link add rxe9 type rxe netdev bond9"
            + " && for i in $(seq 100); do rdma link show rxe9/1 | grep -q 'state ACTIVE' && exit; sleep 0.1; done; exit 1";
    private static final String ACTIVE = "$(cat /sys/class/net/bond9/bonding/active_slave)";
    private static final String PULL = "was=" + ACTIVE + "; ip link set p${was#s} down && for i in $(seq 100); do"
            + " now=" + ACTIVE + "; [ -n \"$now\" ] && [ \"$now\" != \"$was\" ] && exit; sleep 0.1; done; exit 1";
    private static final String REMOVE = "rdma link delete rxe9; ip link del bond9; ip link del s0; ip link del s1;"
            + " echo 0 >/proc/sys/net/ipv4/conf/all/arp_ignore";

    private final Host host;

    /** A host of the lab, with a shell. */
    @FunctionalInterface
    interface Host {
        String shell(String command) throws IOException, InterruptedException;
    }

    /**
     * Makes the bond.
     *
     * @param address its IPv4 address, in a network of 256
     * @param options options of {@code ip link add type bond}
     */
    Bond(Host host, String address, String... options) throws IOException, InterruptedException {
        this.host = host;
        boolean done = false;
        try {
            host.shell(MAKE.replace("ADDRESS", address).replace("OPTIONS", String.join(" ", options)));
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    /** Pulls the cable of the link that carries, and returns when the other one does. */
    void pull() throws IOException, InterruptedException {
        host.shell(PULL);
    }

    /** The numbers of the device's reliable queue pairs, one for each link of a connection. */
    String queuePairs() throws IOException, InterruptedException {
        return host.shell("rdma resource show qp link rxe9 | sed -n 's/.*lqpn \\([0-9]*\\).* type RC .*/\\1/p'")
                .strip();
    }

    /** Nothing may have the device open any more. */
    @Override
    public void close() throws IOException {
        try {
            host.shell(REMOVE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the bond was removed");
        }
    }
}
