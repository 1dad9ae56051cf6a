// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Arrivals;
import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import io.accel.samples.bench.FirstSeconds;
import io.accel.samples.bench.LatencyReport;
import io.accel.samples.bench.Meter;
import io.accel.samples.bench.Parameters;
import io.accel.samples.bench.Usage;
import io.accel.samples.bench.YoungStart;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Produces records of 10 KiB as fast as they are acknowledged, as Kafka's own ProducerPerformance does, a hundred at a time. An
 * operation is a record, from its {@code send} to its acknowledgement. Arguments: {@code port}, {@code open_loop}.
 */
public final class KafkaProduction {
    private static final int RECORD_BYTES = 10 * 1024;
    private static final int UNDER_WAY = 100;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final KafkaProducer<byte[], byte[]> producer;
    /** Nanoseconds between records; 0 if they are sent as fast as they are acknowledged. */
    private final long interval;

    private final byte[] value = KafkaClients.value(RECORD_BYTES);
    private final Semaphore permits = new Semaphore(UNDER_WAY);
    private final AtomicReference<Exception> failed = new AtomicReference<>();
    private final Histogram nanos = new ConcurrentHistogram(LONGEST_NANOS, 3);

    private KafkaProduction(KafkaProducer<byte[], byte[]> producer, long interval) {
        this.producer = producer;
        this.interval = interval;
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        KafkaClients.createTopic(parameters);
        try (KafkaProducer<byte[], byte[]> producer = KafkaClients.producer(parameters)) {
            KafkaProduction production = new KafkaProduction(producer, Arrivals.interval(parameters));
            if (YoungStart.isAskedBy(parameters)) {
                production.runFromStart(YoungStart.await(parameters));
            }
            production.run(parameters.millis("warmup_ms"));
            Event.named("warm").send();
            Meter meter = Meter.ofAllThreads();
            while (true) {
                production.measure(meter, Control.awaitGo());
            }
        }
    }

    private void measure(Meter meter, long duration) throws IOException, InterruptedException {
        nanos.reset();
        Usage before = meter.begin();
        long elapsed = run(duration);
        Usage used = meter.end().since(before);
        LatencyReport.of(nanos, 1, 0, elapsed).with(used).send();
    }

    /** Returns how long it took, when all records are acknowledged. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback reports the same
    private long run(long duration) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Arrivals arrivals = new Arrivals(begin, interval);
        while (System.nanoTime() - begin < duration) {
            long due = interval == 0 ? 0 : arrivals.await();
            permits.acquire();
            long sent = interval == 0 ? System.nanoTime() : due;
            producer.send(new ProducerRecord<>(KafkaClients.TOPIC, value), (metadata, exception) -> {
                nanos.recordValue(Math.min(System.nanoTime() - sent, LONGEST_NANOS));
                if (exception != null) {
                    failed.compareAndSet(null, exception);
                }
                permits.release();
            });
        }
        awaitAll();
        return System.nanoTime() - begin;
    }

    private void awaitAll() throws IOException, InterruptedException {
        permits.acquire(UNDER_WAY);
        permits.release(UNDER_WAY);
        if (failed.get() != null) {
            throw new IOException("a record was not acknowledged", failed.get());
        }
    }

    /** Does not return. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback reports the same
    private void runFromStart(YoungStart start) throws IOException, InterruptedException {
        FirstSeconds done = start.newCounter(); // used by the producer's thread
        AtomicBoolean goesOn = new AtomicBoolean(true);
        while (goesOn.get()) {
            permits.acquire();
            producer.send(new ProducerRecord<>(KafkaClients.TOPIC, value), (metadata, exception) -> {
                if (exception != null) {
                    failed.compareAndSet(null, exception);
                }
                if (!done.count(1) || exception != null) {
                    goesOn.set(false);
                }
                permits.release();
            });
        }
        awaitAll();
        start.report();
    }
}
