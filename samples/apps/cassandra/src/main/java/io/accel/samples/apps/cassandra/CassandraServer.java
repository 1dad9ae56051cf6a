// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.cassandra;

import io.accel.samples.apps.Ports;
import io.accel.samples.apps.ServerMain;
import io.accel.samples.bench.Parameters;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.cassandra.service.CassandraDaemon;

/** A cluster of one Cassandra node, which runs in this process. Argument: {@code dir}. */
public final class CassandraServer {
    private CassandraServer() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(Parameters.parse(args).text("dir"));
        int port = Ports.free();
        Path configuration = Files.writeString(directory.resolve("cassandra.yaml"), configuration(port, Ports.free()));
        System.setProperty("cassandra.config", configuration.toUri().toString());
        System.setProperty("cassandra.storagedir", directory.toString());
        System.setProperty("cassandra-foreground", "true"); // otherwise it closes the process's output
        // Nobody else is in the cluster whom it would have to wait for.
        System.setProperty("cassandra.ring_delay_ms", "0");
        System.setProperty("cassandra.skip_wait_for_gossip_to_settle", "0");
        new CassandraDaemon(true).activate();
        ServerMain.serve(port);
    }

    private static String configuration(int port, int storagePort) {
        return """
                cluster_name: bench
                num_tokens: 1
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                endpoint_snitch: SimpleSnitch
                commitlog_sync: periodic
                commitlog_sync_period: 10s
                listen_address: 127.0.0.1
                storage_port: %d
                rpc_address: 127.0.0.1
                native_transport_port: %d
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: 127.0.0.1:%d
                """.formatted(storagePort, port, storagePort);
    }
}
