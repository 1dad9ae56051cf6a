// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import io.accel.samples.it.harness.Launch;
import io.accel.testing.Child;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One or several ZooKeeper servers, each a JVM of its own that runs ZooKeeper's own {@code main}.
 *
 * <p>Not safe for use by several threads.
 */
final class ZooKeeperServers implements AutoCloseable {
    // ZooKeeper has to be given its ports. An address that nothing else uses makes it unlikely that another process
    // takes a port first.
    private static final String LOCAL = "127.77.31.9";
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration DUMP = Duration.ofSeconds(10);
    private static final String MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain";

    private final Path directory;
    private final String host;
    private final List<Integer> clientPorts;
    private final List<Child> servers = new ArrayList<>();

    private ZooKeeperServers(Path directory, String host, List<Integer> clientPorts) {
        this.directory = directory;
        this.host = host;
        this.clientPorts = clientPorts;
    }

    /** Starts {@code count} servers: one alone, or an ensemble. */
    static ZooKeeperServers start(Path directory, int count) throws IOException {
        return start(directory, LOCAL, count);
    }

    /** The same, listening on an address of this machine. */
    static ZooKeeperServers start(Path directory, String host, int count) throws IOException {
        List<Integer> ports = freePorts(host, 3 * count);
        List<Integer> clientPorts = ports.subList(0, count);
        List<String> ensemble = new ArrayList<>();
        for (int i = 0; i < count && count > 1; i++) {
            ensemble.add(
                    "server." + (i + 1) + "=" + host + ":" + ports.get(count + i) + ":" + ports.get(2 * count + i));
        }
        ZooKeeperServers all = new ZooKeeperServers(directory, host, clientPorts);
        for (int i = 0; i < count; i++) {
            Path data = Files.createDirectories(directory.resolve("data" + i));
            Files.writeString(data.resolve("myid"), Integer.toString(i + 1));
            List<String> lines = new ArrayList<>(List.of(
                    "tickTime=500",
                    "initLimit=20",
                    "syncLimit=10",
                    "dataDir=" + data,
                    "clientPortAddress=" + host,
                    "clientPort=" + clientPorts.get(i),
                    "admin.enableServer=false",
                    "serverCnxnFactory=org.apache.zookeeper.server.NIOServerCnxnFactory"));
            lines.addAll(ensemble);
            Files.write(all.configuration(i), lines);
            all.servers.add(all.launch(i));
        }
        try {
            all.servers.forEach(ZooKeeperServers::awaitListening);
            return all;
        } catch (AssertionError e) {
            all.close();
            throw e;
        }
    }

    /** The connect string of a client of every server. */
    String connectString() {
        return clientPorts.stream().map(port -> host + ":" + port).collect(Collectors.joining(","));
    }

    /** The connect string of a client of this server and no other. */
    String connectString(int server) {
        return host + ":" + clientPort(server);
    }

    int clientPort(int server) {
        return clientPorts.get(server);
    }

    /** The number of the server with this address. */
    int at(String hostAndPort) {
        return clientPorts.indexOf(Integer.parseInt(hostAndPort.substring(hostAndPort.indexOf(':') + 1)));
    }

    /** The server's latest output. */
    String output(int server) {
        return servers.get(server).output();
    }

    /** The server's latest output, with what its threads are doing. */
    String explain(int server) {
        Child child = servers.get(server);
        if (child.isAlive()) {
            child.signal("QUIT");
            child.awaitLine("the end of its threads' stacks", line -> line.startsWith("JNI global refs"), DUMP);
        }
        return child + ":\n" + child.output();
    }

    void kill(int server) {
        servers.get(server).kill();
    }

    void restart(int server) {
        servers.set(server, launch(server));
        awaitListening(servers.get(server));
    }

    private Child launch(int server) {
        return Launch.accelerated(MAIN, configuration(server).toString())
                .testClassPath()
                .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .option("-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.NIOServerCnxnFactory=info")
                .start("ZooKeeper server " + (server + 1));
    }

    private static void awaitListening(Child server) {
        server.awaitLine("that it listens", line -> line.contains("binding to port"), START);
    }

    private Path configuration(int server) {
        return directory.resolve("zoo" + server + ".cfg");
    }

    private static List<Integer> freePorts(String host, int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket();
                held.add(socket);
                socket.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
            }
            return held.stream().map(ServerSocket::getLocalPort).collect(Collectors.toList());
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    @Override
    public void close() {
        servers.forEach(Child::close);
    }
}
