// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.util.stream.IntStream;

/** Reads values of 1 KiB from the map of a Hazelcast member, one after the other, by a client. Argument: {@code port}. */
public final class HazelcastReads {
    private HazelcastReads() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Operations.parameters(args);
        ClientConfig config = new ClientConfig().setClusterName(HazelcastMember.CLUSTER);
        config.setProperty("hazelcast.logging.type", "none").setProperty("hazelcast.phone.home.enabled", "false");
        config.getNetworkConfig().addAddress("127.0.0.1:" + parameters.number("port"));
        HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
        try {
            int[] keys = IntStream.range(0, HazelcastValues.ENTRIES).toArray();
            Operations.execute(new HazelcastValues(client.getMap("bench"), keys)::read, parameters);
        } finally {
            client.shutdown();
        }
    }
}
