// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Registers Accel's meters with a Micrometer registry. It is the only class that links to Micrometer's: {@link
 * BindingClassLoader} defines it beside the registry's classes. It is public, with a public constructor, for its
 * creator by reflection.
 */
public final class MicrometerBinding implements Consumer<Object> {
    /** Kept for ever, since registries hold the objects that they ask weakly. */
    private static final Object PROCESS = new Object();

    /** Called by reflection. */
    public MicrometerBinding() {}

    @Override
    public void accept(Object registry) {
        AccelMeters.describe(new Sink((MeterRegistry) registry));
    }

    private record Sink(MeterRegistry registry) implements MeterSink {
        private static Tags tags(MeterId id) {
            return Tags.of(id.tags().toArray(String[]::new));
        }

        @Override
        public void gauge(MeterId id, DoubleSupplier value) {
            Gauge.builder(id.name(), PROCESS, unused -> value.getAsDouble())
                    .description(id.description())
                    .baseUnit(id.unit())
                    .tags(tags(id))
                    .register(registry);
        }

        @Override
        public void counter(MeterId id, DoubleSupplier sum) {
            FunctionCounter.builder(id.name(), PROCESS, unused -> sum.getAsDouble())
                    .description(id.description())
                    .baseUnit(id.unit())
                    .tags(tags(id))
                    .register(registry);
        }

        @Override
        public void timer(MeterId id, LongSupplier count, DoubleSupplier nanos) {
            FunctionTimer.builder(
                            id.name(),
                            PROCESS,
                            unused -> count.getAsLong(),
                            unused -> nanos.getAsDouble(),
                            TimeUnit.NANOSECONDS)
                    .description(id.description())
                    .tags(tags(id))
                    .register(registry);
        }
    }
}
