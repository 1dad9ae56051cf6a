// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.awaitility.Awaitility;

/**
 * ZooKeeper's own client, told what to do by commands; the argument is a connect string.
 *
 * <p>{@code CREATE from to}, {@code CHECK from to} (reads all), {@code WATCH from to} (watches all, changes all, waits
 * for every event), {@code SYNC}, {@code SERVER} (says {@code SERVER host:port}). Each is answered by {@code OK
 * command}. A lost connection is tried again, since a server that dies is part of the test.
 */
public final class ZooKeeperLoad {
    private static final int SESSION_MILLIS = 10_000;
    private static final long LIMIT_SECONDS = 40;

    private final CountDownLatch connected = new CountDownLatch(1);
    private final ZooKeeper zooKeeper;

    private ZooKeeperLoad(String servers) throws IOException {
        zooKeeper = new ZooKeeper(servers, SESSION_MILLIS, this::stateChanged);
    }

    public static void main(String[] args) {
        Console console = new Console();
        try {
            ZooKeeperLoad load = new ZooKeeperLoad(args[0]);
            await(load.connected, "connection");
            console.say("CONNECTED");
            while (true) {
                String command = console.next();
                load.run(console, command.split(" ", -1));
                console.say("OK " + command);
            }
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private void stateChanged(WatchedEvent event) {
        if (event.getState() == KeeperState.SyncConnected) {
            connected.countDown();
        }
    }

    private void run(Console console, String[] command) throws Exception {
        switch (command[0]) {
            case "CREATE" -> create(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
            case "CHECK" -> check(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
            case "WATCH" -> watch(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
            case "SYNC" -> sync();
            // The only place where the client tells which server it is connected to is its description.
            case "SERVER" ->
                console.say("SERVER "
                        + zooKeeper.toString().replaceFirst("(?s).*remoteserver:\\S*?/?([0-9.]+:[0-9]+).*", "$1"));
            default -> throw new IllegalArgumentException(command[0]);
        }
    }

    private void create(int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            int node = i;
            untilConnected(() -> {
                try {
                    zooKeeper.create(path(node), data(node, 0), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                } catch (KeeperException.NodeExistsException e) {
                    // Created before the connection was lost, and the answer with it.
                    expect(data(node, 0), zooKeeper.getData(path(node), false, null));
                }
            });
        }
    }

    private void check(int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            int node = i;
            untilConnected(() -> {
                Stat stat = new Stat();
                byte[] found = zooKeeper.getData(path(node), false, stat);
                expect(data(node, stat.getVersion()), found);
            });
        }
    }

    private void watch(int from, int to) throws Exception {
        CountDownLatch events = new CountDownLatch(to - from);
        for (int i = from; i < to; i++) {
            zooKeeper.getData(
                    path(i),
                    event -> {
                        if (event.getType() == EventType.NodeDataChanged) {
                            events.countDown();
                        }
                    },
                    null);
        }
        for (int i = from; i < to; i++) {
            zooKeeper.setData(path(i), data(i, 1), 0);
        }
        await(events, "watches");
    }

    private void sync() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        zooKeeper.sync("/", (code, path, context) -> done.countDown(), null);
        await(done, "sync");
    }

    private interface Operation {
        void run() throws KeeperException, InterruptedException;
    }

    private static void untilConnected(Operation operation) {
        Awaitility.await()
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofSeconds(LIMIT_SECONDS))
                .ignoreException(KeeperException.ConnectionLossException.class)
                .until(() -> {
                    operation.run();
                    return true;
                });
    }

    private static void await(CountDownLatch latch, String what) throws InterruptedException {
        if (!latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(what + ": " + latch.getCount() + " still missing");
        }
    }

    private static String path(int node) {
        return "/node" + node;
    }

    private static byte[] data(int node, int version) {
        byte[] bytes = new byte[1 + node % 1_000];
        Pattern.at(node + 7L * version, bytes.length).get(bytes);
        return bytes;
    }

    private static void expect(byte[] wanted, byte[] got) {
        if (!Arrays.equals(wanted, got)) {
            throw new IllegalStateException(
                    "wrong data: expected " + ByteBuffer.wrap(wanted) + ", got " + got.length + " bytes");
        }
    }
}
