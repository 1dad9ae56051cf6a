// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static io.accel.core.fabric.Link.BROKEN;
import static io.accel.core.fabric.Link.CLOSED;
import static io.accel.core.fabric.Link.RETIRED;
import static io.accel.core.fabric.Link.RST;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.Verbs;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException;
import io.accel.core.fabric.rdma.verbs.WcStatus;
import java.lang.System.Logger.Level;

/**
 * Serves a link's queues: it has completions taken from the {@link SharedQueue}, lets those of the link make room in {@link
 * Outbound}, posts the requests that waited for that, and breaks the link where something fails. Only under the
 * link's lock, unless a comment says otherwise.
 *
 * <p><b>The end.</b> A queue pair in error completes every posted request, in order. So after the last receive has
 * come back all data has been seen, and only then is the link {@linkplain LinkState#DRAINED drained}.
 */
final class LinkQueues {
    private static final Log LOG = Log.of(LinkQueues.class);

    /** Whether the connection manager tells the peer that the link is over. */
    private enum Parting {
        NOT_DUE,
        DUE,
        DONE
    }

    private final Endpoint endpoint;
    private final Outbound out;
    private final Inbound in;
    private final Receives receives;
    private final SharedQueue.Place place;
    private final Arrivals arrivals;
    private final ControlCell peerCell;
    /** Has the service attend to the link. */
    private final Runnable attend;

    // Written under the lock, read by any thread.
    private volatile LinkState state = LinkState.OPEN;
    /** Up to which cursor the mirror may be overwritten. */
    private volatile long released;
    /** Up to which cursor the device is done with the published bytes. */
    private volatile long sent;

    // Under the lock.
    private Parting parting = Parting.NOT_DUE;
    /** Called when the link breaks; null if there is no such call, or it has been made. */
    private Runnable whenBroken;
    /** The number after that of the last completed send request that {@link #out} knows of. */
    private long sendsKnown;
    /** Whether breaking the link down is under way, or has met a want of memory or stack, and is tried again. */
    private boolean isBreakingDown;
    /** Whether a fault of the peer's words was told. */
    private boolean faultTold;

    LinkQueues(Endpoint endpoint, Offer peer, Outbound out, RdmaConfig config, Runnable attend) {
        this.endpoint = endpoint;
        this.out = out;
        this.arrivals = endpoint.arrivals();
        this.in = arrivals.in();
        this.receives = new Receives(endpoint, config.rxBatch());
        this.place = endpoint.place();
        this.peerCell = new ControlCell(endpoint.memory().inbound(), peer.receives());
        this.attend = attend;
    }

    // ---- any thread

    LinkState state() {
        return state;
    }

    long released() {
        return released;
    }

    long sent() {
        return sent;
    }

    // ---- under the lock: traffic

    /** Posts the program's data, as far as it can be posted, and takes completions. */
    void flushAndPoll() {
        if (state.isPast(LinkState.DRAINED)) {
            return;
        }
        try {
            if (!state.isPast(LinkState.DISCONNECTED)) {
                out.flush();
            }
        } catch (VerbsException | RuntimeException | Error e) {
            fail(e); // nobody knows what was posted
        }
        glance();
        if (out.isStalled() && !state.isPast(LinkState.DISCONNECTED)) {
            attend.run();
        }
    }

    /** Takes all completions, gives receives back, and posts the requests that waited for that. */
    void poll() {
        take(true);
    }

    /** As {@link #poll}, but leaves completions to another thread that is just taking them, and others to the next look. */
    void glance() {
        take(false);
    }

    private void take(boolean all) {
        if (state.isPast(LinkState.BROKEN)) {
            return;
        }
        if (isBreakingDown) {
            breakDown(); // for which memory or stack has run out before
        }
        try {
            if (all) {
                place.poll();
            } else {
                place.glance();
            }
        } catch (VerbsException | RuntimeException | InternalError e) {
            fail(e); // a want of memory or stack says nothing about the link, and is the caller's
        }
        try {
            goOn();
        } catch (VerbsException | RuntimeException | Error e) {
            fail(e); // nobody knows what was posted
        }
        updateReleased();
    }

    /** Does what completions give occasion for. */
    private void goOn() throws VerbsException {
        takeNote();
        if (state != LinkState.OPEN) {
            if (receives.areAllBack()) {
                drained();
            }
            return;
        }
        repost();
        readPeerCell();
        if (out.isStalled()) {
            out.flush();
        }
    }

    /** Takes note of what completions have brought, whoever took them. */
    private void takeNote() {
        Throwable error = arrivals.error();
        if (error != null) {
            fail(error);
        }
        int failure = arrivals.failure(); // first: the sends before it count
        long sends = arrivals.sent();
        if (sends != sendsKnown) {
            sendsKnown = sends;
            out.complete(sends - 1); // and with it all before it
        }
        if (failure != WcStatus.SUCCESS) {
            failed(failure, arrivals.isReceiveFailed());
        }
        String wrong = faultTold ? null : arrivals.fault();
        if (wrong != null) {
            faultTold = true;
            LOG.get().log(Level.WARNING, "the peer of {0} sent {1}: the connection is reset", endpoint.id(), wrong);
            tellBroken();
        }
    }

    private void repost() throws VerbsException {
        if (receives.repost() && receives.areWorthTelling(out.receivesTold()) && (in.states() & (CLOSED | RST)) == 0) {
            out.receivesPosted(receives.posted());
        }
    }

    private void readPeerCell() {
        long before = peerCell.consumed();
        if (!peerCell.read()) {
            return;
        }
        long consumed = peerCell.consumed();
        if (consumed < before || consumed > out.published() || !out.grant(peerCell.posted())) {
            LOG.get()
                    .log(
                            Level.WARNING,
                            "the peer of {0} says that it has read up to {1} of {2} bytes and posted {3} receives, which cannot be:"
                                    + " the connection is reset",
                            endpoint.id(),
                            consumed,
                            out.published(),
                            peerCell.posted());
            String unused = in.nonsense("credits");
            in.addStates(RST);
            tellBroken();
        }
    }

    private void updateReleased() {
        // The peer's acknowledgement never stands for a local completion: the device may yet send that range again.
        long completed = out.completed();
        if (completed > sent) {
            sent = completed;
        }
        long now = Math.min(peerCell.consumed(), completed);
        if (now > released) {
            released = now;
        }
    }

    /** A number that each completion changes, to tell progress by. */
    long completions() {
        return arrivals.completions();
    }

    /** Has the link ring at later completions, and takes the earlier ones. */
    void arm(Wanted wanted) {
        if (!state.isPast(LinkState.BROKEN)) {
            try {
                place.arm(wanted);
            } catch (VerbsException | RuntimeException | InternalError e) {
                fail(e);
            }
            glance(); // for what those completions have brought
        }
    }

    /** Takes the rings that have come, and the link's completions. Returns whether there were any rings. */
    boolean drain() {
        if (state.isPast(LinkState.DRAINED)) {
            return false;
        }
        boolean rung = place.drain();
        poll();
        return rung;
    }

    // ---- under the lock: failures, and the end

    void whenBroken(Runnable told) {
        whenBroken = told;
        if (state.isPast(LinkState.DISCONNECTED)) {
            tellBroken();
        }
    }

    /** A completion reports a failure; the queue pair is in error already. */
    private void failed(int status, boolean isReceive) {
        if (state == LinkState.OPEN) {
            reach(LinkState.BROKEN);
            addBroken();
            LOG.get()
                    .log(
                            status == WcStatus.WR_FLUSH_ERR ? Level.DEBUG : Level.INFO,
                            "connection {0} is broken: {1} ({2})",
                            endpoint.id(),
                            text(status),
                            isReceive ? "receiving" : "sending");
        }
    }

    /** The device has refused a call, or a call has met an error. */
    void fail(Throwable e) {
        if (!state.isPast(LinkState.DISCONNECTED)) {
            breakDown();
            LOG.get().log(Level.WARNING, "connection " + endpoint.id() + " is broken", e);
        }
    }

    /**
     * The link carries nothing more. The connection's next path waits for the last receive, so the queue pair comes
     * first.
     */
    void breakDown() {
        reach(LinkState.BROKEN);
        isBreakingDown = true;
        failQueuePair();
        addBroken();
        isBreakingDown = false;
    }

    /** The connection never came to be; nobody is told. */
    void failNow() {
        reach(LinkState.BROKEN);
        failQueuePair();
    }

    /** Has the queue pair give back all posted requests. */
    void failQueuePair() {
        if (state.isPast(LinkState.DRAINED)) {
            return;
        }
        try {
            endpoint.queuePair().fail();
        } catch (VerbsException | RuntimeException | InternalError e) {
            LOG.get().log(Level.DEBUG, "ending a queue pair failed", e);
            drained(); // as far as this side can know
        }
    }

    private void drained() {
        addBroken(); // unless the peer has said why
        reach(LinkState.DRAINED);
    }

    /**
     * Marks the link as broken. A peer that has closed, or given the link back, waits for nothing, and only this
     * side's credits fail then. The connection manager tells any other peer that the link is over, as far as it
     * reaches the peer, so that the peer need not find out by its own means.
     */
    private void addBroken() {
        if ((in.states() & (RST | CLOSED | RETIRED | BROKEN)) == 0) {
            in.addStates(BROKEN);
            try {
                tellBroken();
            } finally {
                disconnect();
                attend.run();
            }
        }
    }

    private void tellBroken() {
        Runnable told = whenBroken;
        whenBroken = null;
        if (told != null) {
            told.run();
        }
    }

    /** One end is over: the connection manager is to tell the peer once; see {@link #takeParting}. */
    void disconnect() {
        if (parting == Parting.NOT_DUE && !state.isPast(LinkState.DRAINED)) {
            parting = Parting.DUE;
            reach(LinkState.DISCONNECTED);
        }
    }

    /** Whether the connection manager is to tell the peer now; the caller then has it do so. */
    boolean takeParting() {
        if (parting != Parting.DUE) {
            return false;
        }
        parting = Parting.DONE;
        return !state.isPast(LinkState.DRAINED);
    }

    /** From now on the device is asked for nothing. */
    void detach() {
        poll();
        reach(LinkState.DETACHED);
    }

    void freed() {
        reach(LinkState.FREED);
    }

    private void reach(LinkState next) {
        if (next.isPast(state)) {
            state = next;
        }
    }

    private static String text(int status) {
        try {
            return Verbs.statusText(status);
        } catch (VerbsUnavailableException e) {
            return "status " + status;
        }
    }
}
