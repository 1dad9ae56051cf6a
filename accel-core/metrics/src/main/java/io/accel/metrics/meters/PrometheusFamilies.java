// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import io.accel.core.observe.Durations;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Accel's meters by the conventions of Prometheus. Thread-safe once all meters have been added. */
final class PrometheusFamilies implements MeterSink {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ExpositionFormatWriter text = PrometheusTextFormatWriter.create();
    private final ExpositionFormatWriter openMetrics = OpenMetricsTextFormatWriter.create();
    private final Map<String, Family<?>> families = new LinkedHashMap<>();

    /**
     * The content of the page, in UTF-8.
     *
     * @param type its media type, with the version of the format
     * @param bytes the text
     */
    @SuppressWarnings("ArrayRecordComponent") // written to a socket, and compared with nothing
    record Page(String type, byte[] bytes) {}

    /** The meters of one name, which differ by their labels. */
    private record Family<T>(List<Supplier<T>> points, Function<List<T>, MetricSnapshot> making) {
        MetricSnapshot snapshot() {
            return making.apply(points.stream().map(Supplier::get).toList());
        }
    }

    @Override
    public void gauge(MeterId id, DoubleSupplier value) {
        String name = name(id, id.unit());
        Labels labels = labels(id);
        this.<GaugeDataPointSnapshot>points(name, all -> {
                    var family = GaugeSnapshot.builder().name(name).help(id.description());
                    all.forEach(family::dataPoint);
                    return family.build();
                })
                .add(() -> GaugeDataPointSnapshot.builder()
                        .labels(labels)
                        .value(value.getAsDouble())
                        .build());
    }

    @Override
    public void counter(MeterId id, DoubleSupplier sum) {
        String name = name(id, id.unit()); // the writer adds _total to it
        Labels labels = labels(id);
        this.<CounterDataPointSnapshot>points(name, all -> {
                    var family = CounterSnapshot.builder().name(name).help(id.description());
                    all.forEach(family::dataPoint);
                    return family.build();
                })
                .add(() -> CounterDataPointSnapshot.builder()
                        .labels(labels)
                        .value(sum.getAsDouble())
                        .build());
    }

    @Override
    public void timer(MeterId id, LongSupplier count, DoubleSupplier nanos) {
        String name = name(id, "seconds");
        Labels labels = labels(id);
        this.<SummaryDataPointSnapshot>points(name, all -> {
                    var family = SummarySnapshot.builder().name(name).help(id.description());
                    all.forEach(family::dataPoint);
                    return family.build();
                })
                .add(() -> SummaryDataPointSnapshot.builder()
                        .labels(labels)
                        .count(count.getAsLong())
                        .sum(nanos.getAsDouble() / NANOS_PER_SECOND)
                        .build());
    }

    @Override
    public void timer(MeterId id, LongSupplier count, DoubleSupplier nanos, Durations over) {
        String name = name(id, "seconds");
        Labels labels = labels(id);
        this.<HistogramDataPointSnapshot>points(name, all -> {
                    var family = HistogramSnapshot.builder().name(name).help(id.description());
                    all.forEach(family::dataPoint);
                    return family.build();
                })
                .add(() -> HistogramDataPointSnapshot.builder()
                        .labels(labels)
                        .classicHistogramBuckets(buckets(over.counts()))
                        .sum(over.nanos() / NANOS_PER_SECOND)
                        .build());
    }

    private static ClassicHistogramBuckets buckets(long[] counts) {
        ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        long[] bounds = Durations.boundsNanos();
        for (int i = 0; i < counts.length; i++) {
            double bound = i < bounds.length ? bounds[i] / NANOS_PER_SECOND : Double.POSITIVE_INFINITY;
            buckets.bucket(bound, counts[i]);
        }
        return buckets.build();
    }

    /**
     * Makes the page.
     *
     * @param accepted the client's header Accept; null for none
     */
    Page page(String accepted) throws IOException {
        ExpositionFormatWriter writer = accepted != null && openMetrics.accepts(accepted) ? openMetrics : text;
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        MetricSnapshots all = new MetricSnapshots(
                families.values().stream().map(Family::snapshot).toList());
        writer.write(page, all, EscapingScheme.DEFAULT);
        return new Page(writer.getContentType(), page.toByteArray());
    }

    /** A name has one kind of meter, so all its points have that kind. */
    @SuppressWarnings("unchecked")
    private <T> List<Supplier<T>> points(String name, Function<List<T>, MetricSnapshot> making) {
        return ((Family<T>) families.computeIfAbsent(name, unused -> new Family<>(new ArrayList<>(), making))).points();
    }

    private static String name(MeterId id, String unit) {
        String name = id.name().replace('.', '_');
        return unit == null || name.endsWith("_" + unit) ? name : name + "_" + unit;
    }

    private static Labels labels(MeterId id) {
        return Labels.of(id.tags().toArray(String[]::new));
    }
}
