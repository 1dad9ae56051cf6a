// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.accel.samples.apps.Operations;
import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/** Reads a row of 1 KiB by its key, one after the other, by Cassandra's Java driver. Argument: {@code port}. */
public final class CassandraReads {
    private static final int VALUE_BYTES = 1024;
    /** Making a table takes a young server some seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private CassandraReads() {}

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        DriverConfigLoader patient = DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENCE)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, PATIENCE)
                .build();
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(new InetSocketAddress(InetAddress.getLoopbackAddress(), parameters.number("port")))
                .withLocalDatacenter("datacenter1")
                .withConfigLoader(patient)
                .build()) {
            session.execute(
                    "CREATE KEYSPACE bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            session.execute("CREATE TABLE bench.rows (key int PRIMARY KEY, value blob)");
            session.execute(session.prepare("INSERT INTO bench.rows (key, value) VALUES (1, ?)")
                    .bind(ByteBuffer.allocate(VALUE_BYTES)));
            BoundStatement read = session.prepare("SELECT value FROM bench.rows WHERE key = ?")
                    .bind(1);
            Operations.execute(() -> read(session, read), parameters);
        }
    }

    private static void read(CqlSession session, BoundStatement statement) throws IOException {
        Row row = session.execute(statement).one();
        if (row == null || Objects.requireNonNull(row.getByteBuffer(0)).remaining() != VALUE_BYTES) {
            throw new IOException("the row that came is not the one that was written: " + row);
        }
    }
}
