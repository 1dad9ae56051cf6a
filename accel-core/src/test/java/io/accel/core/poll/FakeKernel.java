// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicInteger;

/** A kernel descriptor, readable when a test says so. */
final class FakeKernel implements Pollable, AutoCloseable {
    private final Pipe pipe;
    final AtomicInteger releases = new AtomicInteger();

    FakeKernel() throws IOException {
        pipe = JdkAccess.kernelProvider().openPipe();
        pipe.source().configureBlocking(false);
    }

    void makeReadable() throws IOException {
        pipe.sink().write(ByteBuffer.allocate(1));
    }

    void drain() throws IOException {
        pipe.source().read(ByteBuffer.allocate(16));
    }

    @Override
    public SelectableChannel watched() {
        return pipe.source();
    }

    @Override
    public int watchedOps(int interest) {
        return interest;
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public int look(int interest) {
        throw new AssertionError("not polled");
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        return interest & watchedReady;
    }

    @Override
    public void arm(int interest) {
        throw new AssertionError("not polled");
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean retained(Registration registration) {
        return true;
    }

    @Override
    public void released(Registration registration) {
        releases.incrementAndGet();
    }

    @Override
    public void close() throws IOException {
        pipe.source().close();
        pipe.sink().close();
    }
}
