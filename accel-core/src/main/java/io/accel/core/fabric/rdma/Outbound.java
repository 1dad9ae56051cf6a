// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static io.accel.core.fabric.Link.RST;

import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.QueuePair;
import io.accel.core.fabric.rdma.verbs.SendFlags;
import io.accel.core.fabric.rdma.verbs.SendRequests;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The sending side of a connection: ranges of the mirror, states, the control cell. It takes everything at once and
 * posts it as the send queue and the peer's receives allow, in order: the cell as soon as it can, data in the order
 * of publishing, states after all data. Whatever could not be posted goes, gathered, with a later {@link #flush}.
 * Only under the link's lock.
 */
final class Outbound {
    private static final VarHandle MESSAGES;

    static {
        try {
            MESSAGES = MethodHandles.lookup()
                    .findVarHandle(Outbound.class, "messages", long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How many requests of the send queue data leaves to states, credits and the keep-alive. */
    private static final int KEPT_BACK = 8;
    /** The offset, in the page of the cell's copy, of a word that goes by SEND. */
    private static final int WORD = 1024;

    private final QueuePair queuePair;
    private final SharedQueue.Place place;
    private final Offer peer;
    private final int ringSize;
    private final int mask;
    /** The longest message; its limit lets the peer begin to read before a large write is over. */
    private final int chunk;

    private final long mirror;
    private final long cellCopy;
    private final int localKey;
    private final int inline;
    private final ControlCell cell;

    private final SendRequests requests = new SendRequests(3);
    /** Whether words go by SEND, inline from this side, and not as immediate data. */
    private final boolean bySend;

    private final ByteBuffer word;
    private final long wordAddress;
    private final ReceiveCredits credits;
    private final InPlaceRanges inPlace = new InPlaceRanges();
    private final SendLedger ledger;

    private long published;
    private long posted;
    /** How many messages of data were posted. Written under the lock, read by others without order. */
    @SuppressWarnings("unused") // read through MESSAGES
    private long messages;
    /** Up to which cursor the device is done with the mirror. */
    private long completed;

    private int wantedStates;
    private int sentStates;
    /** The number of the request that carried the last states, -1 if there was none. */
    private long lastState = -1;

    /** Whether the queue pair takes requests yet. */
    private boolean open;

    /** What this side says to prove that it owns its end of the connection, and to confirm that the peer does. */
    private final OwnershipCell ownership;

    private boolean ownershipDue;
    /** The number of the request that carried the last of it, -1 if there was none. */
    private long lastOwnership = -1;

    private boolean cellDue;
    private boolean wakeDue;
    private long pingNumber = -1;

    Outbound(Endpoint endpoint, Offer peer, int ringSize, RdmaConfig config) {
        this.queuePair = endpoint.queuePair();
        this.place = endpoint.place();
        this.peer = peer;
        this.ringSize = ringSize;
        this.mask = ringSize - 1;
        this.chunk = ringSize / 4;
        this.cellCopy = endpoint.outbound().address();
        this.mirror = cellCopy + RingMemory.PAGE;
        this.localKey = endpoint.outbound().lkey();
        this.inline = queuePair.maxInline();
        this.bySend = endpoint.words() != null;
        this.word = endpoint.memory().outbound().slice(WORD, Integer.BYTES); // big-endian
        this.wordAddress = cellCopy + WORD;
        this.cell = new ControlCell(endpoint.memory().outbound(), endpoint.depth());
        this.ownership = new OwnershipCell(endpoint.memory().outbound());
        this.credits = new ReceiveCredits(peer.receives());
        this.ledger = new SendLedger(endpoint.depth(), config.signalEvery(), chunk);
    }

    void publish(long to) {
        published = to;
    }

    /** As {@link #publish}, of bytes that lie elsewhere; false if too many such ranges are under way. */
    boolean publishInPlace(long to, long address, int key, Object owner, Consumer<Object> done) {
        if (!inPlace.add(published, to, address, key, owner, done)) {
            return false;
        }
        published = to;
        return true;
    }

    /** The queue pair no longer exists: nobody reads the bytes that were published in place. */
    void releaseInPlace() {
        inPlace.releaseAll();
    }

    /** Adds states; a reset does not wait for data, and drops unposted data. */
    void signal(int states) {
        wantedStates |= states;
        if ((wantedStates & RST) != 0) {
            published = posted;
        }
    }

    /** Tells the peer how far this side has read, and wakes it. */
    void consumed(long cursor) {
        cell.write(cursor, cell.posted());
        cellDue = true;
        wakeDue = true;
    }

    /**
     * Tells the peer how many receives were posted. The peer sees the number when it needs it, and is woken if it
     * sleeps.
     */
    void receivesPosted(long total) {
        cell.write(cell.consumed(), total);
        cellDue = true;
        wakeDue = true;
    }

    /** As {@link io.accel.core.fabric.Ownership#place}. */
    void place(long at) {
        ownership.place(at);
        ownershipDue = true;
    }

    /** Whether the peer's device has acknowledged the last place. */
    boolean isPlaced() {
        return !ownershipDue && lastOwnership >= 0 && ledger.isComplete(lastOwnership);
    }

    /** Returns the secret in the peer's record. */
    void returnSecret(byte[] secret) {
        ownership.secret(secret);
        ownershipDue = true;
    }

    /** The last number of receives that this side has told, or is telling, the peer. */
    long receivesTold() {
        return cell.posted();
    }

    /** Takes the peer's count of receives; false if no peer can have that count. */
    boolean grant(long receivesPosted) {
        return credits.grant(receivesPosted, peer.receives());
    }

    /** A signaled request has completed. */
    void complete(long number) {
        long cursor = ledger.complete(number);
        if (cursor > completed) {
            completed = cursor;
            inPlace.completed(cursor);
        }
        if (number >= pingNumber) {
            pingNumber = -1;
        }
    }

    /** How many messages of data were posted. Any thread. */
    long messages() {
        return (long) MESSAGES.getOpaque(this);
    }

    long completed() {
        return completed;
    }

    long published() {
        return published;
    }

    /** Whether anything waits for room or credits. */
    boolean isStalled() {
        return posted != published || wantedStates != sentStates || cellDue || wakeDue || ownershipDue;
    }

    /** Whether everything was posted and has completed. */
    boolean isIdle() {
        return posted == published && wantedStates == sentStates && ledger.outstanding() == 0;
    }

    /** Whether everything published was posted, and is known to have completed. A link that has broken posts nothing more. */
    boolean isReached() {
        return posted == published && hasNothingOutstanding();
    }

    /** Whether everything posted is known to have completed. */
    boolean hasNothingOutstanding() {
        return ledger.outstanding() == 0;
    }

    /** Whether the peer's device has acknowledged all states. */
    boolean haveStatesArrived() {
        return wantedStates == sentStates && ledger.isComplete(lastState);
    }

    /** The queue pair takes requests from now on. */
    void open() {
        open = true;
    }

    /** Posts as much as can be posted. */
    void flush() throws VerbsException {
        if (!open) {
            return;
        }
        if (cellDue || wakeDue) {
            postCell();
        }
        if (ownershipDue && !postOwnership()) {
            return; // the peer believes no data before that
        }
        while (posted != published && ledger.hasRoom(3 + KEPT_BACK) && credits.allowData()) {
            postData((int) Math.min(inPlace.limit(posted, published) - posted, chunk));
        }
        if (wantedStates != sentStates && posted == published && ledger.hasRoom(1) && credits.allowState()) {
            postState();
        }
    }

    /** Asks the peer's device for a sign of life, unless a question is under way. */
    void ping() throws VerbsException {
        if (pingNumber < 0 && ledger.hasRoom(1)) {
            pingNumber = ledger.next();
            requests.write(0, place.sendId(pingNumber), SendFlags.SIGNALED, peer.address(), peer.key());
            post(1, true, 0);
        }
    }

    private void postData(int length) throws VerbsException {
        int at = (int) posted & mask;
        boolean foreign = inPlace.covers(posted);
        long source = foreign ? inPlace.address(posted) : mirror + at;
        int key = foreign ? inPlace.key() : localKey;
        int head = Math.min(length, ringSize - at);
        int last = 0;
        if (head < length) {
            requests.write(0, nextId(), inlineFlag(head), ring(at), peer.key());
            requests.segment(0, source, head, key);
            ledger.post(false, head, posted);
            last = 1;
            source = foreign ? source + head : mirror;
            at = 0;
        }
        int rest = length - (last == 0 ? 0 : head);
        // The memory's owner waits for the completion, and no later message might bring one.
        boolean signaled = ledger.isSignalDue(rest) || (foreign && inPlace.endsAt(posted + length));
        int flags = SendFlags.SOLICITED | (signaled ? SendFlags.SIGNALED : 0);
        int announcement = Immediate.of(Immediate.DATA, length);
        if (bySend) {
            requests.write(last, nextId(), inlineFlag(rest), ring(at), peer.key());
            requests.segment(last, source, rest, key);
            ledger.post(false, rest, posted);
            last++;
            send(last, flags, announcement);
            rest = 0;
        } else {
            requests.writeWithImmediate(last, nextId(), inlineFlag(rest) | flags, ring(at), peer.key(), announcement);
            requests.segment(last, source, rest, key);
        }
        posted += length;
        inPlace.posted(posted);
        messages++;
        credits.use();
        ledger.post(signaled, rest, posted);
        queuePair.postSend(requests, 0, last + 1);
    }

    /** Makes a request for a word that follows a write, on devices whose writes carry none. */
    private void send(int index, int flags, int what) {
        word.putInt(0, what); // the device has its own copy of the last word, which went inline
        requests.send(index, nextId(), flags | SendFlags.INLINE);
        requests.segment(index, wordAddress, Integer.BYTES, localKey);
    }

    private void postState() throws VerbsException {
        int states = wantedStates;
        int flags = SendFlags.SOLICITED | SendFlags.SIGNALED;
        int announcement = Immediate.of(Immediate.STATE, states);
        lastState = ledger.next();
        if (bySend) {
            send(0, flags, announcement);
        } else {
            requests.writeWithImmediate(0, place.sendId(lastState), flags, peer.address(), peer.key(), announcement);
        }
        // A passing state is said once: the next message must not say it again after the peer has forgotten it.
        // A switch is said each time: the announcement waits until that, and so the preface before it, has arrived.
        wantedStates &= ~(Link.PASSING | Link.SWITCHED);
        sentStates = wantedStates;
        credits.use();
        post(1, true, 0);
    }

    /** The cell goes even without a credit, as a plain write; the word that wakes the peer then follows when it can. */
    private void postCell() throws VerbsException {
        if (!ledger.hasRoom(2)) {
            return;
        }
        boolean wake = wakeDue && credits.allowCredit();
        if (!cellDue && !wake) {
            return;
        }
        boolean signaled = ledger.isSignalDue(0);
        int flags = inlineFlag(ControlCell.SIZE) | (signaled ? SendFlags.SIGNALED : 0);
        int announcement = Immediate.of(Immediate.CREDIT, 0);
        boolean immediate = wake && !bySend;
        if (immediate) {
            requests.writeWithImmediate(0, nextId(), flags, peer.address(), peer.key(), announcement);
        } else {
            requests.write(0, nextId(), flags, peer.address(), peer.key());
        }
        requests.segment(0, cellCopy, ControlCell.SIZE, localKey);
        cellDue = false;
        ledger.post(signaled, 0, posted);
        int count = 1;
        if (wake) {
            credits.use();
            wakeDue = false;
        }
        if (wake && bySend) {
            send(count, 0, announcement);
            ledger.post(false, 0, posted);
            count++;
        }
        queuePair.postSend(requests, 0, count);
    }

    /** Nobody waits for it, so it wakes nobody: whoever needs it looks. */
    private boolean postOwnership() throws VerbsException {
        if (!ledger.hasRoom(1)) {
            return false;
        }
        lastOwnership = ledger.next();
        int flags = inlineFlag(OwnershipCell.SIZE) | SendFlags.SIGNALED;
        requests.write(0, place.sendId(lastOwnership), flags, peer.address() + OwnershipCell.OFFSET, peer.key());
        requests.segment(0, cellCopy + OwnershipCell.OFFSET, OwnershipCell.SIZE, localKey);
        ownershipDue = false;
        post(1, true, 0);
        return true;
    }

    private void post(int count, boolean signaled, int bytes) throws VerbsException {
        ledger.post(signaled, bytes, posted);
        queuePair.postSend(requests, 0, count);
    }

    /** The identifier of the next request. */
    private long nextId() {
        return place.sendId(ledger.next());
    }

    private int inlineFlag(int length) {
        return length <= inline ? SendFlags.INLINE : 0;
    }

    private long ring(int at) {
        return peer.address() + RingMemory.PAGE + at;
    }
}
