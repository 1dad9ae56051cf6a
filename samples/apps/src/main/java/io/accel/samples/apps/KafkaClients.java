// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own clients of a {@link KafkaBroker}, with the settings that they have by default, for a topic of one partition. */
final class KafkaClients {
    static final String TOPIC = "bench";

    private static final String SERVERS = "bootstrap.servers";

    private KafkaClients() {}

    private static String broker(Parameters parameters) {
        return "127.0.0.1:" + parameters.number("port");
    }

    static void createTopic(Parameters parameters) throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of(SERVERS, broker(parameters)))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get();
        }
    }

    /** A producer that waits for the broker, not for its disk. */
    static KafkaProducer<byte[], byte[]> producer(Parameters parameters) {
        return new KafkaProducer<>(
                Map.of(SERVERS, broker(parameters), "acks", "1"), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** A consumer that begins at the end of the topic. */
    static KafkaConsumer<byte[], byte[]> consumer(Parameters parameters) {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(SERVERS, broker(parameters)), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        consumer.assign(List.of(partition));
        consumer.seekToEnd(List.of(partition));
        consumer.position(partition); // until then it has not asked for the end
        return consumer;
    }

    /** A record value of so many bytes. */
    static byte[] value(int size) {
        byte[] value = new byte[size];
        Arrays.fill(value, (byte) 'x');
        return value;
    }
}
