// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.function.Consumer;

/**
 * One established, reliable connection: a ring in each direction and the cursors that say what is in it.
 *
 * <p><b>Sending.</b> The sender copies bytes into {@link #sendRing()}, its mirror of the peer's receive ring, and {@link
 * #publish publishes} them; a cursor at which a byte may be overwritten has been {@link #released()}.
 *
 * <p><b>Receiving.</b> Bytes up to {@link #published()} lie in {@link #receiveRing()}; bytes that were read are given
 * back with {@link #consumed}.
 *
 * <p><b>Waiting.</b> {@link #arm} asks the peer to ring {@link #doorbell()} at its next publish or credit. Between arming
 * and sleeping the caller <em>must look once more</em>: arming is the store of one side of a Dekker handshake and looking
 * is its load; the peer publishes first and looks for armed sleepers after. Either the sleeper sees the publish, or the
 * peer sees the sleeper.
 *
 * <p><b>Threads.</b> The sending methods have one caller at a time, and so have the receiving ones; the two sides, and
 * the waiting methods, may be called at the same time. After {@link #free()} nothing may be called.
 *
 * <p>What a peer wrote is returned as it was found. The stream protocol checks it.
 */
public interface Link {
    /** The peer has said that nothing follows what it has published: half-close. */
    int FIN = 1;
    /** The peer has aborted the connection, or closed it with bytes unread. */
    int RST = 2;
    /** The peer has closed, or shut down both directions: nobody will read what is sent now. */
    int CLOSED = 4;

    /** The peer takes urgent bytes inline ({@code SO_OOBINLINE}); without it they are not worth sending. */
    int URGENT_INLINE = 8;
    /** The peer, who asked for the link, has it. */
    int ATTACHED = 16;
    /**
     * The peer's bytes come over the link from now on; its first published words say from where on. Signalled each
     * time.
     */
    int SWITCHED = 32;
    /** The peer's bytes go on through the kernel after its published ones. The state is forgotten when that is done. */
    int LEFT = 64;
    /**
     * The peer has read all that was published before {@link #LEFT}, and goes on through the kernel. The state is
     * forgotten at the return.
     */
    int FOLLOWED = 128;
    /**
     * The peer does not say this: the link has broken here, or the peer has gone from it without a word, while the
     * connection may live on. Nothing is published or released any more. The fate of the stream is then {@linkplain
     * #decide decided}.
     */
    int BROKEN = 256;
    /** The peer gives the link back when this end does, too: its direction does not come to it any more. */
    int RETIRING = 512;
    /** The peer uses the link no more, in neither direction. Everything that was sent over it before was read. */
    int RETIRED = 1024;
    /**
     * Larger rings are wanted, for which the link is given back. The end that accepted the link asks with this state.
     * The end that connected answers with it, or asks itself, and then asks for another link.
     */
    int LARGER = 2048;
    /** The peer has shut down its input: nobody will read what is sent now, though the peer may send. Said where that ends a writer. */
    int DEAF = 4096;
    /**
     * The connection goes on without the link, because its TCP connection has failed at one end. Nothing follows what was published, and
     * everything else goes through the kernel, which knows what became of the connection. Said with {@link #LEFT}, unless {@link #FIN} was
     * said before.
     *
     * <p>The handshake of shared memory has no version of its own for it, since a peer that does not know it ignores it. Such a peer's reader
     * follows {@code LEFT} to the kernel, which tells it of the failure; its writer is told there when the ring is full, and what it publishes
     * until then is lost as it would be with the TCP connection. Over RDMA, where an unknown state is an error, each peer of the present
     * version knows it.
     */
    int ABANDONED = 8192;
    /** The states that are forgotten, so that the peer may enter them again; all others are only ever added. */
    int PASSING = LEFT | FOLLOWED;
    /** Any of the states after which nothing more is published. */
    int ENDED = FIN | RST | CLOSED;
    /** All states that a peer may signal. */
    int SAID = ENDED | URGENT_INLINE | ATTACHED | SWITCHED | PASSING | RETIRING | RETIRED | LARGER | DEAF | ABANDONED;

    /** Wait for the peer to publish, to finish or to reset. */
    int DATA = 1;
    /** Wait for the peer to give back ring space. */
    int SPACE = 2;

    /** The ring for outgoing bytes. */
    MemoryRegion sendRing();

    /** The ring where incoming bytes appear. */
    MemoryRegion receiveRing();

    /**
     * Makes the bytes of {@link #sendRing()} between two cursors appear in the peer's ring, after all that was published
     * before, and wakes a peer that sleeps.
     *
     * @param from the end of the last publish
     * @param to the new end, at most one ring size after {@link #released()}
     */
    void publish(long from, long to);

    /**
     * As {@link #publish}, of bytes that are not in {@link #sendRing()} but in memory of the program, where the
     * device reads them. The memory must not change, and the caller must not free the memory's buffer before the
     * link; so this is for chunks that live as long as the process.
     *
     * @param from as with {@link #publish}
     * @param to as with {@link #publish}
     * @param memory a direct buffer, the same object for the same memory each time
     * @param offset where in it, from 0 on, the first byte is
     * @param owner handed to {@code done}
     * @param done called once when the device is done with the bytes, sent or not, at the latest some time after
     * {@link #free()}; any thread may call it, and must not wait in it or call the link
     * @return false if that cannot be done, now or ever, and nothing was published: the caller copies
     */
    default boolean publishInPlace(
            long from, long to, ByteBuffer memory, int offset, Object owner, Consumer<Object> done) {
        return false;
    }

    /** Whether {@link #publishInPlace} can be of use. */
    default boolean canPublishInPlace() {
        return false;
    }

    /** Up to which cursor the memory that bytes were published from is free. */
    default long sent() {
        return Long.MAX_VALUE;
    }

    /**
     * Tells the peer, after all published bytes, that this side has entered a new state, and wakes the peer. Does not wait until the peer
     * knows.
     *
     * @param state {@link #FIN}, {@link #RST}, {@link #CLOSED}, {@link #URGENT_INLINE}, {@link #ATTACHED}, {@link
     *     #SWITCHED}, {@link #LEFT}, {@link #FOLLOWED}, {@link #RETIRING}, {@link #RETIRED}, or several. One that {@linkplain
     *     #PASSING passes} is signalled again only after the peer is known to have {@linkplain #forget forgotten} it
     */
    void signal(int state);

    /**
     * Marks passing states of the peer as dealt with: {@link #peerState()} no longer reports them.
     *
     * @param state {@link #LEFT}, {@link #FOLLOWED} or both
     */
    void forget(int state);

    /**
     * Takes in everything that the peer has published and that has arrived. {@link #published()} may leave that to
     * another thread that is just about to do it; this method waits for it.
     */
    default void takeIn() {}

    /** Whether all signalled states, and everything published before them, are where the peer can see them. */
    default boolean hasArrived() {
        return true;
    }

    /**
     * Waits until {@link #hasArrived}, which takes a round trip; a second at most, if the peer is all but dead. Only for a caller that may
     * block: no operation of a program in non-blocking mode waits, nor does a thread that serves several connections.
     */
    default void awaitArrival() {}

    /**
     * Whether the peer's device is known to have received everything; if not, it is asked for a sign of life. A peer
     * whose device has everything, and whose ring is full, does not read. Where that is not known, the way to it may
     * be cut.
     */
    default boolean isReached() {
        return true;
    }

    /**
     * Up to which cursor {@link #sendRing()} may be overwritten: the peer has consumed the bytes, and, on a fabric
     * that reads the mirror asynchronously, their transfer has completed locally.
     */
    long released();

    /** Up to which cursor the peer has published; all bytes before it are visible to the caller. */
    long published();

    /**
     * Up to which cursor this side has published. Any thread. The next call of {@link #signal} puts its state behind
     * all those bytes, and the bytes that the peer is known to have read lie before the cursor.
     */
    long publishedHere();

    /**
     * The states that the peer has {@linkplain #signal signalled}. Read them <em>before</em> {@link #published()}: a
     * state that was seen stands after every byte that was published before it.
     */
    int peerState();

    /**
     * Gives ring space back to the peer, and wakes a peer that waits for it.
     *
     * @param cursor all bytes before it have been read
     */
    void consumed(long cursor);

    /**
     * Takes down how far this side has read, for a peer that is still there when this process is not. Unlike {@link #consumed} it gives
     * nothing back and wakes nobody, so that it can be called at each read. It does nothing on a fabric that has no place for it.
     *
     * @param cursor all bytes before it have been read
     */
    default void noteRead(long cursor) {}

    /**
     * Whether the peer's process has died with bytes of this side unread, and without a word of its own end. True only on a fabric where
     * {@link #noteRead} leaves its mark.
     */
    default boolean hasDiedWithBytesUnread() {
        return false;
    }

    /**
     * Asks for the doorbell at the next change.
     *
     * @param what {@link #DATA}, {@link #SPACE} or both
     */
    void arm(int what);

    /**
     * Calls back once when the connection breaks here and not by the peer's word, so that bytes of either direction
     * may be lost. A thread that waits for the link learns of that anyway; this method is for threads that wait
     * elsewhere.
     *
     * @param told called by any thread, at once if the link has broken already; it must not wait, and not call the
     * link
     */
    default void whenBroken(Runnable told) {}

    /** Breaks the link, as its device might, if the connection can go on without it. For tests. */
    default void breakNow() {}

    /**
     * Adds the fate of the stream over a link that is {@link #BROKEN} or {@link #ABANDONED}, on which its readers and writers act.
     *
     * @param states states of the peer, as if it had signalled them now: {@link #LEFT} if the stream goes on through
     * the kernel after the published bytes, {@link #RST} if bytes are lost, {@link #FIN} and {@link #CLOSED} if the
     * peer has ended
     */
    default void decide(int states) {
        throw new UnsupportedOperationException("has nothing to decide");
    }

    /** Whether the peer is on another host, so that no thread of this host has to run for what the peer sends. */
    default boolean isRemote() {
        return false;
    }

    /** Whether the link may become {@link #BROKEN}. */
    default boolean canBreak() {
        return false;
    }

    /** A number that only the two ends of a link that may become {@link #BROKEN} know, the same at both. */
    default long nonce() {
        throw new UnsupportedOperationException("breaks only together with its peer");
    }

    /**
     * What proves that the peer owns the other end of the connection that the link is for.
     *
     * @return null if the fabric knows the peer by other means, or trusts it
     */
    default Ownership ownership() {
        return null;
    }

    /**
     * The kernel's descriptor that becomes readable when the doorbell rings or the peer's process is gone. It is in
     * non-blocking mode and stays so; it may be registered with any number of the JDK's selectors.
     */
    SelectableChannel doorbell();

    /**
     * Whether several links have the same {@link #doorbell()}. Then its being readable says only that {@link #takeRings} is to be
     * called, and a waiter hears by a {@linkplain #addRinger ringer} of the rings that are for this link. Some other link's waiter may
     * have taken them.
     */
    default boolean sharesDoorbell() {
        return false;
    }

    /** Takes the rings of all links that have this doorbell, and runs the ringers of each that has been rung for. */
    default void takeRings() {}

    /**
     * Adds a call for each ring that is for this link. {@link #arm} comes after that.
     *
     * @param ringer called by any thread, which may hold locks; it must not wait, and call no link
     */
    default void addRinger(Runnable ringer) {}

    /** Removes a call; one that is under way may come afterwards. */
    default void removeRinger(Runnable ringer) {}

    /**
     * Takes the rings of the doorbell, so that it can ring again.
     *
     * @return whether it had rung
     */
    boolean drainDoorbell();

    /**
     * Whether the peer's end of the doorbell is gone: its process has exited or was killed, or it has closed. The
     * bytes that it published before can still be read.
     */
    boolean peerGone();

    /** As {@link #peerGone()}, but finds out: that may otherwise be known only when the doorbell is next looked at. */
    default boolean findPeerGone() {
        return peerGone();
    }

    /**
     * Touches all of its memory, and returns whether that is possible, as it is not after another process has truncated the file. Any
     * thread.
     */
    default boolean isIntact() {
        return true;
    }

    /**
     * Makes the peer find this end gone, for a caller that cannot {@linkplain #signal tell} it anything, because the memory has failed.
     * It does nothing on a fabric whose peer finds out by itself. Any thread.
     */
    default void hangUp() {}

    /**
     * How many times bytes were made to appear at the peer, where that does not happen once for each {@link
     * #publish}; otherwise -1. Any thread, also after {@link #free()}.
     */
    default long publishes() {
        return -1;
    }

    /** How many times the peer was woken by a system call. Any thread, also after {@link #free()}. */
    default long rings() {
        return 0;
    }

    /**
     * Gives back all that the link holds: memory, descriptors. Call it once, and only when no other thread is in a
     * method of the link or ever will be.
     */
    void free();
}
