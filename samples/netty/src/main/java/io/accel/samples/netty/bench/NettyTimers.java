// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import io.accel.samples.bench.LatencyReport;
import io.accel.samples.bench.Meter;
import io.accel.samples.bench.Parameters;
import io.accel.samples.bench.Usage;
import io.netty.channel.EventLoop;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Tasks that an event loop has to run in {@value #DELAY_MICROS} us, one after the other: the bench measures how late they run,
 * not how long they waited. Arguments: {@code transport}, {@code warmup_ms}. Measures whenever it is told to.
 */
public final class NettyTimers {
    private static final long DELAY_MICROS = 200;
    private static final long DELAY_NANOS = TimeUnit.MICROSECONDS.toNanos(DELAY_MICROS);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final EventLoop loop;

    // Event loop only, except for the fields that the latch hands over.
    private final Histogram late = new Histogram(LONGEST_NANOS, 3);
    private long begin;
    private long duration;
    private long due;

    private volatile CountDownLatch done;

    private NettyTimers(EventLoop loop) {
        this.loop = loop;
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        NettyTimers timers =
                new NettyTimers(Ends.transport(parameters).newGroup(1).next());
        timers.run(parameters.millis("warmup_ms"));
        Event.named("warm").send();
        Meter meter = new Meter(Ends.threadOf(timers.loop));
        while (true) {
            long time = Control.awaitGo();
            Usage before = meter.begin();
            long from = System.nanoTime();
            timers.run(time);
            long elapsed = System.nanoTime() - from;
            LatencyReport.of(timers.late, 1, 0, elapsed)
                    .with(meter.end().since(before))
                    .send();
        }
    }

    private void run(long time) throws InterruptedException {
        done = new CountDownLatch(1);
        late.reset();
        loop.execute(() -> {
            duration = time;
            begin = System.nanoTime();
            schedule();
        });
        done.await();
    }

    private void schedule() {
        due = System.nanoTime() + DELAY_NANOS;
        Future<?> unused = loop.schedule(this::fire, DELAY_NANOS, TimeUnit.NANOSECONDS);
    }

    private void fire() {
        long now = System.nanoTime();
        late.recordValue(Math.max(0, Math.min(now - due, LONGEST_NANOS)));
        if (now - begin < duration) {
            schedule();
        } else {
            done.countDown();
        }
    }
}
