// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A ZooKeeper server by itself, as its own {@code main} runs it. Argument: {@code dir}. */
public final class ZooKeeperServer {
    private ZooKeeperServer() {}

    public static void main(String[] args) throws Exception {
        String directory = Parameters.parse(args).text("dir");
        int port = Ports.free();
        System.setProperty("zookeeper.admin.enableServer", "false");
        ServerMain.run(
                "zookeeper", port, () -> ZooKeeperServerMain.main(new String[] {Integer.toString(port), directory}));
    }
}
