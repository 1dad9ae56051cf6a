// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import io.accel.samples.it.harness.RdmaResources;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/**
 * {@code ZooKeeperHost ADDRESS PORT}: a ZooKeeper server for a test on another host, which tells it what to do by lines
 * over a connection to this address and port: {@code SERVER} (answered by the server's host and port), {@code KILL},
 * {@code START}, {@code WITNESS} (answered by the established TCP connections at the server's port, the RDMA
 * connections, and how many connections the server says it has accepted by RDMA), and {@code EXPLAIN}, after which this
 * prints what the server does and has printed. Ends when it is killed.
 */
final class ZooKeeperHost {
    private static final int THE_SERVER = 0;

    private ZooKeeperHost() {}

    public static void main(String[] args) throws IOException {
        try (ZooKeeperServers servers = ZooKeeperServers.start(Files.createTempDirectory("zookeeper"), args[0], 1);
                ServerSocket listener =
                        new ServerSocket(Integer.parseInt(args[1]), 1, InetAddress.getByName(args[0]))) {
            while (true) {
                try (Socket test = listener.accept()) {
                    obey(test, servers);
                }
            }
        }
    }

    private static void obey(Socket test, ZooKeeperServers servers) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(test.getInputStream(), StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(test.getOutputStream(), true, StandardCharsets.UTF_8);
        for (String command = in.readLine(); command != null; command = in.readLine()) {
            switch (command) {
                case "SERVER" -> out.println(servers.connectString(THE_SERVER));
                case "KILL" -> {
                    servers.kill(THE_SERVER);
                    out.println("OK");
                }
                case "START" -> {
                    servers.restart(THE_SERVER);
                    out.println("OK");
                }
                case "EXPLAIN" -> {
                    System.out.println(servers.explain(THE_SERVER));
                    out.println("OK");
                }
                case "WITNESS" -> out.println(witness(servers));
                default -> throw new IOException("not a command: " + command);
            }
        }
    }

    private static String witness(ZooKeeperServers servers) {
        long accepted = servers.output(THE_SERVER)
                .lines()
                .filter(line -> line.contains("accel: accepted ") && line.endsWith(" by rdma"))
                .count();
        return RdmaResources.connections() + " " + accepted;
    }
}
