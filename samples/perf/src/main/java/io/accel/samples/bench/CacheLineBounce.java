// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Two JVMs pass a counter to and fro in one cache line of a mapped file. This shows the cost of a round trip with only
 * the memory system between two programs. Arguments: {@code role} ({@code ping} measures, {@code pong} answers),
 * {@code file}, and for {@code ping} those of {@link LatencyRun}.
 */
public final class CacheLineBounce {
    private static final VarHandle COUNTER =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    /** So many round trips make a sample: reading the clock costs a fifth of one. Percentiles are of the samples' means. */
    private static final int TRIPS_PER_SAMPLE = 100;

    private static final int FILE_BYTES = 4096;

    private CacheLineBounce() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        ByteBuffer line;
        try (FileChannel file =
                FileChannel.open(Path.of(parameters.text("file")), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            line = file.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES).order(ByteOrder.nativeOrder());
        }
        if (parameters.text("role").equals("pong")) {
            Control.serveInBackground();
            Event.named("ready").send();
            answer(line);
        } else {
            Event.named("mapped").send();
            Bounce bounce = new Bounce(line);
            new LatencyRun(bounce::run, 0, TRIPS_PER_SAMPLE).execute(parameters);
        }
    }

    /** Makes every odd value even. */
    private static void answer(ByteBuffer line) {
        for (long next = 1; ; next += 2) {
            await(line, next);
            COUNTER.setRelease(line, 0, next + 1);
        }
    }

    private static void await(ByteBuffer line, long value) {
        while ((long) COUNTER.getAcquire(line, 0) != value) {
            Thread.onSpinWait();
        }
    }

    private static final class Bounce {
        private final ByteBuffer line;
        private long value;

        Bounce(ByteBuffer line) {
            this.line = line;
        }

        void run() {
            for (int i = 0; i < TRIPS_PER_SAMPLE; i++) {
                COUNTER.setRelease(line, 0, value + 1);
                value += 2;
                await(line, value);
            }
        }
    }
}
