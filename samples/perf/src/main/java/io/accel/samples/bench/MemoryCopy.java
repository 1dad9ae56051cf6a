// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Copies 64 KiB blocks between two buffers outside the heap, in one thread. This shows how fast bytes go from one place in
 * memory to another when nobody has to be told. Argument: {@code warmup_ms}.
 */
public final class MemoryCopy {
    private static final int BLOCK_BYTES = 64 * 1024;

    /** More than the caches hold: bytes for another core have to leave this core's cache. */
    private static final int TARGET_BYTES = 64 * 1024 * 1024;

    private static final int BLOCKS_PER_LOOK = 64;

    private MemoryCopy() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        ByteBuffer source = ByteBuffer.allocateDirect(BLOCK_BYTES);
        ByteBuffer target = ByteBuffer.allocateDirect(TARGET_BYTES);
        copy(source, target, parameters.millis("warmup_ms") / 2);
        copy(source, target, parameters.millis("warmup_ms") / 2);
        Event.named("warm").send();
        Meter meter = new Meter(Thread.currentThread());
        while (true) {
            long duration = Control.awaitGo();
            Usage before = meter.begin();
            long begin = System.nanoTime();
            long blocks = copy(source, target, duration);
            long elapsed = System.nanoTime() - begin;
            Event.named("result")
                    .with("ops", blocks)
                    .with("moved", blocks * BLOCK_BYTES)
                    .with("elapsed_ns", elapsed)
                    .with(meter.end().since(before))
                    .send();
        }
    }

    private static long copy(ByteBuffer source, ByteBuffer target, long duration) {
        long end = System.nanoTime() + duration;
        long blocks = 0;
        do {
            for (int i = 0; i < BLOCKS_PER_LOOK; i++) {
                if (target.remaining() < BLOCK_BYTES) {
                    target.clear();
                }
                target.put(source.clear());
                blocks++;
            }
        } while (System.nanoTime() - end < 0);
        return blocks;
    }
}
