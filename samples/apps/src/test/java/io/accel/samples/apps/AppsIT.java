// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.RealProgram;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code perf apps}, once through, with three programs: the largest, one that opens {@code java.net.Socket}s, and one whose Netty is
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

    @Test
    @Timeout(180)
    void theirProcessorTimeIsToldApart() throws Exception {
        String rows = AppsRun.run("derby-lookup", directory, "--cpu");
        List<Double> socketCalls = Pattern.compile("\"socket_calls\": *([0-9.]+)")
                .matcher(rows)
                .results()
                .map(result -> Double.valueOf(result.group(1)))
                .toList();
        assertThat(socketCalls)
                .as("part of the processor time, of the plain JDK and of Accel: %s", rows)
                .hasSize(2);
        assertThat(socketCalls.get(0)).as("of the plain JDK").isGreaterThan(2 * socketCalls.get(1));
    }
}
