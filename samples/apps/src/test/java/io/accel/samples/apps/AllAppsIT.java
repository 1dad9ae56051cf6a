// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AppsRun;
import io.accel.testing.RealProgram;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The programs of {@code perf apps} that {@link AppsIT} leaves out; ActiveMQ Artemis has a module of its own. */
@RealProgram(
        name = "Apache ZooKeeper, NIO server and client",
        artifact = "org.apache.zookeeper:zookeeper",
        how = "nodes read, with the agent",
        onlyWithAll = true)
@RealProgram(
        name = "Apache Kafka, broker in KRaft mode, producer and consumer",
        artifact = "org.apache.kafka:kafka_2.13",
        how = "large records produced, many under way",
        onlyWithAll = true)
@RealProgram(
        name = "gRPC for Java (`grpc-netty`)",
        artifact = "io.grpc:grpc-netty",
        how = "unary calls, with the agent",
        onlyWithAll = true)
@RealProgram(
        name = "Apache Tomcat, NIO and NIO2 connectors",
        artifact = "org.apache.tomcat.embed:tomcat-embed-core",
        how = "requests of the JDK's `HttpClient`",
        onlyWithAll = true)
@RealProgram(
        name = "Undertow (WildFly's server, on XNIO)",
        artifact = "io.undertow:undertow-core",
        how = "requests of the JDK's `HttpClient`",
        onlyWithAll = true)
@RealProgram(
        name = "Vert.x",
        artifact = "io.vertx:vertx-core",
        how = "its HTTP server and client, with the agent",
        onlyWithAll = true)
@RealProgram(
        name = "Spring WebFlux on Reactor Netty",
        artifact = "org.springframework:spring-webflux",
        how = "its HTTP server and `WebClient`, with the agent",
        onlyWithAll = true)
@RealProgram(
        name = "JGroups over `TCP_NIO2`",
        artifact = "org.jgroups:jgroups",
        how = "messages to and fro between two members",
        onlyWithAll = true)
@RealProgram(
        name = "Hazelcast, a member and a client, and two members",
        artifact = "com.hazelcast:hazelcast",
        how = "values of a map read",
        onlyWithAll = true)
class AllAppsIT {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zookeeper-read",
                "kafka-produce",
                "grpc-netty",
                "tomcat",
                "tomcat-nio2",
                "undertow",
                "vertx",
                "webflux",
                "jgroups",
                "hazelcast-get",
                "hazelcast-pair"
            })
    @Timeout(180)
    void eachProgramIsAccelerated(String program) throws Exception {
        Apps.in(directory).assertAccelerated(program);
    }

    /** On a busy machine a program may have done nothing by then, but it has to work in the end. */
    @ParameterizedTest
    @ValueSource(strings = {"tomcat", "kafka-produce"})
    @Timeout(180)
    void theirFirstSecondsAreMeasured(String program) throws Exception {
        assertThat(Apps.in(directory).run(program, "--young"))
                .containsSubsequence("\"done_by_ms\": [1000", "\"done_by_ms\": [1000", "\"vs_kernel_done\": [");
    }

    /** Nobody can say of an open connection for a single request whether it is on a link. */
    @Test
    @Timeout(180)
    void aConnectionForEachRequestWorks() throws Exception {
        assertThat(AppsRun.rows(Apps.in(directory).run("tomcat-each"))).isEqualTo(2);
    }

    /** The comparison of Accel with something other than programs. */
    @Test
    @Timeout(180)
    void whatAccelIsComparedWithWorks() throws Exception {
        assertThat(AppsRun.rows(Apps.in(directory).run("peers"))).isGreaterThan(2);
    }
}
