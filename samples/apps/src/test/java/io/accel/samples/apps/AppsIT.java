// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
    /** The uses of processors that are told apart. */
    private static final int USES = 6;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"kafka-record", "grpc-unary"})
    @Timeout(180)
    void realProgramsRunOnThePlainJdkAndWithAccel(String program) throws Exception {
        Apps.in(directory).assertAccelerated(program);
    }

    /** Derby, whose processor time is told apart in a round of its own, after the others. */
    @Test
    @Timeout(180)
    void theirProcessorTimeIsToldApart() throws Exception {
        String rows = Apps.in(directory).assertAccelerated("derby-lookup", "--cpu");
        List<Double> all = shares(rows, "socket_calls|channels|accel|threads|jvm|program");
        assertThat(all)
                .as("shares, first of the plain JDK: %s", rows)
                .hasSize(2 * USES)
                .allMatch(each -> each >= 0);
        assertThat(sum(all.subList(0, USES))).as(rows).isCloseTo(1, within(0.01));
        assertThat(sum(all.subList(USES, 2 * USES))).as(rows).isCloseTo(1, within(0.01));
        assertThat(shares(rows, "socket_calls").get(0))
                .as("socket calls of the plain JDK: %s", rows)
                .isPositive();
        // How much each takes is for a quiet machine: on a busy one it is mostly the compilers.
        List<Double> accel = shares(rows, "accel");
        assertThat(accel.get(0)).as("Accel's classes where it is not: %s", rows).isZero();
        assertThat(accel.get(1)).as("Accel's classes: %s", rows).isPositive();
    }

    private static List<Double> shares(String rows, String uses) {
        return Pattern.compile("\"(?:" + uses + ")\": *([0-9.]+)")
                .matcher(rows)
                .results()
                .map(result -> Double.valueOf(result.group(1)))
                .toList();
    }

    private static double sum(List<Double> shares) {
        return shares.stream().mapToDouble(Double::doubleValue).sum();
    }
}
