// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.util.stream.IntStream;

/** The second member of a Hazelcast cluster: reads values of 1 KiB that the first one has, one after the other. Argument: {@code port}. */
public final class HazelcastPairReads {
    private static final int MEMBERS = 2;

    private HazelcastPairReads() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Operations.parameters(args);
        HazelcastInstance member = HazelcastMember.start(Ports.free(), parameters.number("port"));
        try {
            int members = member.getCluster().getMembers().size();
            if (members != MEMBERS) {
                throw new IOException("there are not two members, but " + members);
            }
            IMap<Integer, byte[]> map = member.getMap("bench");
            int unused = map.size(); // the partitions are shared out when they are first asked for
            Operations.execute(new HazelcastValues(map, keysOfOther(member))::read, parameters);
        } finally {
            member.shutdown();
        }
    }

    private static int[] keysOfOther(HazelcastInstance member) {
        return IntStream.iterate(0, key -> key + 1)
                .filter(key -> !member.getPartitionService()
                        .getPartition(key)
                        .getOwner()
                        .localMember())
                .limit(HazelcastValues.ENTRIES)
                .toArray();
    }
}
