// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;

/** The only member of a Hazelcast cluster. */
public final class HazelcastServer {
    static final String CLUSTER = "bench";

    private HazelcastServer() {}

    public static void main(String[] args) throws Exception {
        Config config = new Config().setClusterName(CLUSTER);
        // Nothing here leaves this host, and nobody is asked whether there is a newer version.
        config.setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "none")
                .setProperty("hazelcast.socket.bind.any", "false");
        config.getNetworkConfig().setPort(Ports.free()).setPortAutoIncrement(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
        ServerMain.serve(member.getCluster().getLocalMember().getAddress().getPort());
    }
}
