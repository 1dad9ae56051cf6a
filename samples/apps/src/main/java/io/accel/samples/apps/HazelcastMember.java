// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;

/** Members of a Hazelcast cluster at the loopback interface. */
final class HazelcastMember {
    static final String CLUSTER = "bench";

    private HazelcastMember() {}

    /** Starts a member, which finds the others through the first member's port. */
    static HazelcastInstance start(int port, int firstPort) {
        Config config = new Config().setClusterName(CLUSTER);
        // Nothing here leaves this host, and nobody is asked whether there is a newer version.
        config.setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "none")
                .setProperty("hazelcast.socket.bind.any", "false")
                // Else the first member waits five seconds for others that may join, too.
                .setProperty("hazelcast.wait.seconds.before.join", "0");
        config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + firstPort);
        return Hazelcast.newHazelcastInstance(config);
    }
}
