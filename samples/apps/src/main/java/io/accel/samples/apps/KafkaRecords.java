// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Produces a record of 100 bytes, waits until it is acknowledged, and consumes it, one after the other, as Kafka's own
 * EndToEndLatency does. Argument: {@code port}.
 */
public final class KafkaRecords {
    private static final int RECORD_BYTES = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final byte[] value = KafkaClients.value(RECORD_BYTES);

    private KafkaRecords(KafkaProducer<byte[], byte[]> producer, KafkaConsumer<byte[], byte[]> consumer) {
        this.producer = producer;
        this.consumer = consumer;
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        KafkaClients.createTopic(parameters);
        try (KafkaProducer<byte[], byte[]> producer = KafkaClients.producer(parameters);
                KafkaConsumer<byte[], byte[]> consumer = KafkaClients.consumer(parameters)) {
            Operations.execute(new KafkaRecords(producer, consumer)::record, parameters);
        }
    }

    private void record() throws Exception {
        producer.send(new ProducerRecord<>(KafkaClients.TOPIC, value)).get();
        ConsumerRecords<byte[], byte[]> records = consumer.poll(PATIENCE);
        if (records.count() != 1) {
            throw new IOException(records.count() + " records came for the one that was sent");
        }
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (record.value().length != RECORD_BYTES) {
                throw new IOException("a record of " + record.value().length + " bytes came back");
            }
        }
    }
}
