// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.util.Arrays;

/** Reads values of 1 KiB from the map of a Hazelcast member, one after the other. Argument: {@code port}. */
public final class HazelcastReads {
    private static final int ENTRIES = 1000;
    private static final int VALUE_BYTES = 1024;

    private final IMap<Integer, byte[]> map;
    private int next;

    private HazelcastReads(IMap<Integer, byte[]> map) {
        this.map = map;
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        ClientConfig config = new ClientConfig().setClusterName(HazelcastServer.CLUSTER);
        config.setProperty("hazelcast.logging.type", "none").setProperty("hazelcast.phone.home.enabled", "false");
        config.getNetworkConfig().addAddress("127.0.0.1:" + parameters.number("port"));
        HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
        try {
            IMap<Integer, byte[]> map = client.getMap("bench");
            for (int i = 0; i < ENTRIES; i++) {
                map.set(i, value(i));
            }
            Operations.execute(new HazelcastReads(map)::read, parameters);
        } finally {
            client.shutdown();
        }
    }

    private static byte[] value(int key) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) key);
        return value;
    }

    private void read() throws IOException {
        next = (next + 1) % ENTRIES;
        if (!Arrays.equals(map.get(next), value(next))) {
            throw new IOException("the value of " + next + " is not what was put in");
        }
    }
}
