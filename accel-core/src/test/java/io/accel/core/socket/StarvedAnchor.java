package io.accel.core.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.function.Predicate;

/** A connection of the kernel's about which Accel's own thread, where a test wants it so, finds no memory. */
final class StarvedAnchor implements Anchor {
    enum Asked {
        AVAILABLE,
        HAS_ENDED,
        READ,
        SEND
    }

    private final Anchor anchor;
    private final Predicate<Asked> starves;

    /**
     * Starves some calls.
     *
     * @param starves whether a call finds no memory; asked at each
     */
    StarvedAnchor(Anchor anchor, Predicate<Asked> starves) {
        this.anchor = anchor;
        this.starves = starves;
    }

    private void ask(Asked asked) {
        if (Thread.currentThread().getName().equals("accel-handover") && starves.test(asked)) {
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
    public int typeOfService() {
        return anchor.typeOfService();
    }

    @Override
    public boolean isConnected() {
        return anchor.isConnected();
    }

    @Override
    public int available() throws IOException {
        ask(Asked.AVAILABLE);
        return anchor.available();
    }

    @Override
    public boolean hasEnded() throws IOException {
        ask(Asked.HAS_ENDED);
        return anchor.hasEnded();
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        ask(Asked.READ);
        return anchor.read(dst);
    }

    @Override
    public int readShut(ByteBuffer dst) throws IOException {
        return anchor.readShut(dst);
    }

    @Override
    public int send(ByteBuffer bytes) throws IOException {
        ask(Asked.SEND);
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
    public boolean isOutputShut() {
        return anchor.isOutputShut();
    }

    @Override
    public boolean closesInOrder() {
        return anchor.closesInOrder();
    }

    @Override
    public void resetOnClose() throws IOException {
        anchor.resetOnClose();
    }

    @Override
    public void endOnClose() throws IOException {
        anchor.endOnClose();
    }

    @Override
    public Anchor keep() throws IOException {
        Anchor kept = anchor.keep();
        return kept == null ? null : new StarvedAnchor(kept, starves);
    }

    @Override
    public void close() throws IOException {
        anchor.close();
    }
}
