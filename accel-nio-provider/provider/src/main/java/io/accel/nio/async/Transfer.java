// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import io.accel.core.jdk.JdkBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/** One read or write: its buffers, its result, and its timeout. Guarded by its {@link Half}, except for the result. */
final class Transfer<V extends Number> {
    private final ByteBuffer[] buffers;
    private final int offset;
    private final int length;
    private final boolean several;
    private final LongFunction<V> counted;
    private final Result<V> result;
    private final long timeout;
    private final TimeUnit unit;

    private Future<?> timer;
    /** The buffers whose arenas cannot be closed now; null for none. */
    private ByteBuffer[] held;

    private Transfer(
            ByteBuffer[] buffers,
            int offset,
            int length,
            boolean several,
            long timeout,
            TimeUnit unit,
            LongFunction<V> counted,
            Result<V> result) {
        this.buffers = buffers;
        this.offset = offset;
        this.length = length;
        this.several = several;
        this.timeout = timeout;
        this.unit = unit;
        this.counted = counted;
        this.result = result;
    }

    static Transfer<Integer> one(ByteBuffer buffer, long timeout, TimeUnit unit, Result<Integer> result) {
        return new Transfer<>(new ByteBuffer[] {buffer}, 0, 1, false, timeout, unit, n -> (int) n, result);
    }

    static Transfer<Long> many(
            ByteBuffer[] buffers, int offset, int length, long timeout, TimeUnit unit, Result<Long> result) {
        return new Transfer<>(buffers, offset, length, true, timeout, unit, n -> n, result);
    }

    Result<V> result() {
        return result;
    }

    /** Whether there is anything left to transfer. */
    boolean hasRemaining() {
        for (int i = offset; i < offset + length; i++) {
            if (buffers[i].hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    /** Whether it is about several buffers. The JDK's channels look at all of those, even if no byte is left in them. */
    boolean isOfSeveral() {
        return several;
    }

    /** Refuses buffers of confined arenas, which the thread that finishes this cannot use. */
    void refuseConfined() {
        for (int i = offset; i < offset + length; i++) {
            JdkBuffers.refuseConfined(buffers[i]);
        }
    }

    /** Checks buffers that have no byte left. */
    void check() {
        JdkBuffers.check(buffers, offset, length);
    }

    /** Keeps the arenas of the buffers open until this is {@linkplain #release over}. */
    void hold() {
        held = JdkBuffers.hold(null, buffers, offset, length);
    }

    void release() {
        ByteBuffer[] kept = held;
        held = null;
        JdkBuffers.release(kept);
    }

    /** Transfers as much as possible now. */
    long run(Direction direction, SocketChannel channel) throws IOException {
        return switch (direction) {
            case READING -> !several ? channel.read(buffers[offset]) : channel.read(buffers, offset, length);
            case WRITING -> !several ? channel.write(buffers[offset]) : channel.write(buffers, offset, length);
        };
    }

    /** Begins to wait: runs the action when the time is over, if there is a limit. */
    void startTimer(Runnable over) {
        if (timeout > 0) {
            timer = Timeouts.after(timeout, unit, over);
        }
    }

    void stopTimer() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** Does {@link Result#deliver}. */
    Runnable deliver(long n, Throwable failure) {
        V count = null;
        Throwable told = failure;
        if (failure == null) {
            try {
                count = counted.apply(n);
            } catch (OutOfMemoryError e) {
                told = e; // the program would wait for ever
            }
        }
        return result.deliver(count, told);
    }
}
