// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.function.Predicate;

/** A connection of the kernel's that Accel's own thread does not watch, and about which, where a test wants it so, it finds no memory. */
final class StarvedAnchor implements Anchor {
    enum Asked {
        AVAILABLE,
        HAS_ENDED,
        READ,
        SEND
    }

    private final Anchor anchor;
    private final Predicate<Asked> starves;
    private final Runnable sent;

    /**
     * Starves some calls.
     *
     * @param starves whether a call finds no memory; asked at each
     */
    StarvedAnchor(Anchor anchor, Predicate<Asked> starves) {
        this(anchor, starves, () -> {});
    }

    /**
     * Starves some calls, and makes others slow.
     *
     * @param starves as there
     * @param sent runs when the kernel has answered a send, which returns after that
     */
    StarvedAnchor(Anchor anchor, Predicate<Asked> starves, Runnable sent) {
        this.anchor = anchor;
        this.starves = starves;
        this.sent = sent;
    }

    private void ask(Asked asked) {
        if (isOwnThread() && starves.test(asked)) {
            throw new OutOfMemoryError("injected");
        }
    }

    private static boolean isOwnThread() {
        return Thread.currentThread().getName().equals("accel-handover");
    }

    @Override
    public Object failing() {
        return isOwnThread() ? null : anchor.failing();
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
        try {
            return anchor.send(bytes);
        } finally {
            if (isOwnThread()) {
                sent.run();
            }
        }
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
        return kept == null ? null : new StarvedAnchor(kept, starves, sent);
    }

    @Override
    public void close() throws IOException {
        anchor.close();
    }
}
