// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;

/**
 * A Kafka broker that is its own controller (KRaft), formatted and run by Kafka's own programs. It keeps little data, so that the
 * bench measures Kafka and not the disk. Argument: {@code dir}.
 */
public final class KafkaBroker {
    private KafkaBroker() {}

    /** Instead of the end of the process, when a program of Kafka's has ended in order. */
    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(Parameters.parse(args).text("dir"));
        int port = Ports.free();
        int controllerPort = Ports.free();
        Path configuration = Files.write(
                directory.resolve("server.properties"),
                List.of(
                        "process.roles=broker,controller",
                        "node.id=1",
                        "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                        "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                        "controller.listener.names=CONTROLLER",
                        "log.dirs=" + directory.resolve("logs"),
                        "num.partitions=1",
                        "offsets.topic.replication.factor=1",
                        "offsets.topic.num.partitions=1",
                        "group.initial.rebalance.delay.ms=0",
                        "log.segment.bytes=" + (64 << 20),
                        "log.retention.bytes=" + (128 << 20),
                        "log.retention.check.interval.ms=1000",
                        "log.segment.delete.delay.ms=1000",
                        "log.initial.task.delay.ms=1000"));
        format(configuration);
        ServerMain.run("kafka", port, () -> kafka.Kafka.main(new String[] {configuration.toString()}));
    }

    private static void format(Path configuration) throws IOException {
        Exit.setExitProcedure((status, message) -> {
            if (status != 0) {
                throw new IllegalStateException("kafka-storage ended with status " + status + ": " + message);
            }
            throw new Ended();
        });
        try {
            kafka.tools.StorageTool.main(
                    new String[] {"format", "-t", Uuid.randomUuid().toString(), "-c", configuration.toString()});
        } catch (Ended inOrder) {
            // that is how its main returns
        } finally {
            Exit.resetExitProcedure();
        }
    }
}
