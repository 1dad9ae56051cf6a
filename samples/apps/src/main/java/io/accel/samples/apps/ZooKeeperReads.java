// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** Reads a node of 1 KiB, one after the other, by ZooKeeper's own client. Argument: {@code port}. */
public final class ZooKeeperReads {
    private static final int SESSION_MILLIS = 30_000;
    private static final int NODE_BYTES = 1024;
    private static final String NODE = "/node";

    private ZooKeeperReads() {}

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper("127.0.0.1:" + parameters.number("port"), SESSION_MILLIS, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        if (!connected.await(SESSION_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("no session with the server after " + SESSION_MILLIS + " ms");
        }
        client.create(NODE, new byte[NODE_BYTES], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        Operations.execute(
                () -> {
                    byte[] data = client.getData(NODE, false, null);
                    if (data.length != NODE_BYTES) {
                        throw new IllegalStateException("a node of " + data.length + " bytes");
                    }
                },
                parameters);
    }
}
