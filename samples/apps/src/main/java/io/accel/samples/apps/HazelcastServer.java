// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import java.io.IOException;

/** The first member of a Hazelcast cluster, and the only one unless a {@link HazelcastPairReads} joins it. */
public final class HazelcastServer {
    private HazelcastServer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        int port = Ports.free();
        HazelcastMember.start(port, port);
        ServerMain.serve(port);
    }
}
