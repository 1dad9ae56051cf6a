// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.testing.RealProgram;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code perf apps}, once through, with the largest of the programs, the one that opens {@code java.net.Socket}s, and one whose Netty is
 * relocated and would take epoll.
 */
@RealProgram(
        name = "Apache Kafka, broker in KRaft mode, producer and consumer",
        artifact = "org.apache.kafka:kafka_2.13",
        how = "records produced and consumed one by one")
@RealProgram(
        name = "Apache Derby, network server and JDBC driver, on `java.net.Socket`",
        artifact = "org.apache.derby:derbynet",
        how = "rows looked up by their keys")
@RealProgram(
        name = "gRPC for Java with its own Netty (`grpc-netty-shaded`)",
        artifact = "io.grpc:grpc-netty-shaded",
        how = "unary calls, with the agent")
class AppsIT {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"derby-lookup", "kafka-record", "grpc-unary"})
    @Timeout(180)
    void realProgramsRunOnThePlainJdkAndWithAccel(String program) throws Exception {
        AppsRun.assertAccelerated(program, directory);
    }
}
