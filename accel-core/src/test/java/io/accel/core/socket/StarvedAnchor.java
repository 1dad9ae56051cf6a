package io.accel.core.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicInteger;

/** A connection of the kernel's about which Accel's own thread, when it asks the nth time, finds no memory. */
final class StarvedAnchor implements Anchor {
    private final Anchor anchor;
    private final AtomicInteger left;

    /**
     * One of those that are starved together.
     *
     * @param left how many more calls find memory; negative for all
     */
    StarvedAnchor(Anchor anchor, AtomicInteger left) {
        this.anchor = anchor;
        this.left = left;
    }

    private void ask() {
        if (Thread.currentThread().getName().equals("accel-handover")
                && left.get() >= 0
                && left.getAndDecrement() == 0) {
            throw new OutOfMemoryError("injected");
        }
    }

    @Override
    public SelectableChannel watched() {
        return anchor.watched();
    }

    @Override
    public InetSocketAddress local() {
        return anchor.local();
    }

    @Override
    public InetSocketAddress remote() {
        return anchor.remote();
    }

    @Override
    public boolean isConnected() {
        return anchor.isConnected();
    }

    @Override
    public int available() throws IOException {
        ask();
        return anchor.available();
    }

    @Override
    public boolean hasEnded() throws IOException {
        ask();
        return anchor.hasEnded();
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        ask();
        return anchor.read(dst);
    }

    @Override
    public int send(ByteBuffer bytes) throws IOException {
        ask();
        return anchor.send(bytes);
    }

    @Override
    public void shutdownInput() throws IOException {
        anchor.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        anchor.shutdownOutput();
    }

    @Override
    public void resetOnClose() throws IOException {
        anchor.resetOnClose();
    }
}
