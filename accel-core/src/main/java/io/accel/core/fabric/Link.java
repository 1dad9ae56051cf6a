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
 * <p><b>Receiving.</b> Bytes up to {@link #published()} lie in {@link #receiveRing()}; what was read of them is given
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
    /** The peer has closed, or shut down both directions: what is sent now, nobody will read. */
    int CLOSED = 4;

    /** The peer takes urgent bytes inline ({@code SO_OOBINLINE}); without it they are not worth sending. */
    int URGENT_INLINE = 8;
    /** The peer, who asked for the link, has it. */
    int ATTACHED = 16;
    /** The peer's bytes come over the link from now on; what it published first says from where on. Signalled each time. */
    int SWITCHED = 32;
    /** The peer's bytes go on through the kernel after what it has published. Forgotten when that is done. */
    int LEFT = 64;
    /** The peer has read all that was published before {@link #LEFT}, and goes on through the kernel. Forgotten at the return. */
    int FOLLOWED = 128;
    /**
     * Not said by the peer: the link has broken here, or the peer has gone from it without a word, while the connection may live
     * on. Nothing is published or released any more. What becomes of the stream is then {@linkplain #decide decided}.
     */
    int BROKEN = 256;
    /** The peer gives the link back when this end does, too: its direction does not come to it any more. */
    int RETIRING = 512;
    /** The peer uses the link no more, in neither direction. What was sent by it before was read. */
    int RETIRED = 1024;
    /**
     * Larger rings are wanted, for which the link is given back: by the end that accepted it is asked for, and the end that
     * connected answers, or asks, by the same, and then asks for another link.
     */
    int LARGER = 2048;
    /** The states that are forgotten, so that the peer may come to them again; all others are only ever added. */
    int PASSING = LEFT | FOLLOWED;
    /** Any of the states after which nothing more is published. */
    int ENDED = FIN | RST | CLOSED;
    /** All that a peer may say. */
    int SAID = ENDED | URGENT_INLINE | ATTACHED | SWITCHED | PASSING | RETIRING | RETIRED | LARGER;

    /** Wait for the peer to publish, to finish or to reset. */
    int DATA = 1;
    /** Wait for the peer to give back ring space. */
    int SPACE = 2;

    /** Where outgoing bytes are put. */
    MemoryRegion sendRing();

    /** Where incoming bytes appear. */
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
     * As {@link #publish}, of bytes that are not in {@link #sendRing()} but in memory of the program's, where the device reads them.
     * The memory must stay as it is, and the memory's buffer must not be freed before the link is, which is the caller's
     * business; so this is for chunks that live as long as the process.
     *
     * @param from as with {@link #publish}
     * @param to as with {@link #publish}
     * @param memory a direct buffer, the same object for the same memory each time
     * @param offset where in it, from 0 on, the first byte is
     * @param owner handed to {@code done}
     * @param done called once when the device is done with the bytes, sent or not, at the latest some time after {@link
     *     #free()}; by any thread, which must not wait in it or call the link
     * @return false if that cannot be done, now or ever, and nothing was: the caller copies
     */
    default boolean publishInPlace(
            long from, long to, ByteBuffer memory, int offset, Object owner, Consumer<Object> done) {
        return false;
    }

    /** Whether {@link #publishInPlace} can be of use. */
    default boolean canPublishInPlace() {
        return false;
    }

    /** Up to which cursor no byte is needed any more where it was published from. */
    default long sent() {
        return Long.MAX_VALUE;
    }

    /**
     * Tells the peer, after all published bytes, that this side has come to a new state, and wakes it.
     *
     * @param state {@link #FIN}, {@link #RST}, {@link #CLOSED}, {@link #URGENT_INLINE}, {@link #ATTACHED}, {@link
     *     #SWITCHED}, {@link #LEFT}, {@link #FOLLOWED}, {@link #RETIRING}, {@link #RETIRED}, or several. One that {@linkplain
     *     #PASSING passes} is signalled again only after the peer is known to have {@linkplain #forget forgotten} it
     */
    void signal(int state);

    /**
     * Takes passing states of the peer's as dealt with: {@link #peerState()} has them no more.
     *
     * @param state {@link #LEFT}, {@link #FOLLOWED} or both
     */
    void forget(int state);

    /**
     * Takes in all that the peer has published and that has come. {@link #published()} may leave that to another thread that is
     * just about to; this waits for it.
     */
    default void takeIn() {}

    /** Whether all states that were signalled, and what was published before them, are where the peer can see them. */
    default boolean hasArrived() {
        return true;
    }

    /**
     * Whether the peer's device is known to have all that it was sent; if not, it is asked for a sign of life. A peer whose device has
     * all, and whose ring is full, does not read; where that is not known, the way to it may be cut.
     */
    default boolean isReached() {
        return true;
    }

    /**
     * Up to which cursor {@link #sendRing()} may be overwritten: consumed by the peer and, on a fabric that reads the
     * mirror asynchronously, completed locally.
     */
    long released();

    /** Up to which cursor the peer has published; all bytes before it are visible to the caller. */
    long published();

    /**
     * Up to which cursor this side has published. Any thread. The next call of {@link #signal} signals behind all before it, and
     * what the peer is known to have read lies before it.
     */
    long publishedHere();

    /**
     * What the peer has {@linkplain #signal signalled}. Read it <em>before</em> {@link #published()}: a state
     * that was seen stands after every byte that was published before it.
     */
    int peerState();

    /**
     * Gives ring space back to the peer, and wakes a peer that waits for it.
     *
     * @param cursor all bytes before it have been read
     */
    void consumed(long cursor);

    /**
     * Asks for the doorbell at the next change.
     *
     * @param what {@link #DATA}, {@link #SPACE} or both
     */
    void arm(int what);

    /**
     * Calls back once when the connection breaks here and not by the peer's word, so that bytes of either direction may be lost.
     * A thread that waits for the link learns of it anyway; this is for threads that wait elsewhere.
     *
     * @param told called by any thread, at once if that has happened; it must not wait, and not call the link
     */
    default void whenBroken(Runnable told) {}

    /** Breaks the link, as its device might, if the connection can go on without it. For tests. */
    default void breakNow() {}

    /**
     * Adds what has become of the stream over a link that is {@link #BROKEN}, for those who read and write by it to act upon.
     *
     * @param states of the peer's, as if it had signalled them now: {@link #LEFT} if the stream goes on through the kernel after what
     *     was published, {@link #RST} if bytes are lost, {@link #FIN} and {@link #CLOSED} if the peer has ended
     */
    default void decide(int states) {
        throw new UnsupportedOperationException("breaks only together with its peer");
    }

    /** Whether it may be {@link #BROKEN}. */
    default boolean canBreak() {
        return false;
    }

    /** Of a link that may be {@link #BROKEN}: a number that only its two ends know, the same at both. */
    default long nonce() {
        throw new UnsupportedOperationException("breaks only together with its peer");
    }

    /**
     * The kernel's descriptor that becomes readable when the doorbell rings or the peer's process is gone. It is in
     * non-blocking mode and stays so; it may be registered with any number of the JDK's selectors.
     */
    SelectableChannel doorbell();

    /**
     * Takes what the doorbell has rung, so that it can ring again.
     *
     * @return whether it had rung
     */
    boolean drainDoorbell();

    /**
     * Whether the peer's end of the doorbell is gone: its process has exited or was killed, or it has closed. What it
     * published before is still to be read.
     */
    boolean peerGone();

    /**
     * How many times bytes were made to appear at the peer, where that is not once for each {@link #publish}; otherwise -1.
     * Any thread, also after {@link #free()}.
     */
    default long publishes() {
        return -1;
    }

    /** How many times the peer was woken by a system call. Any thread, also after {@link #free()}. */
    default long rings() {
        return 0;
    }

    /**
     * Gives back all that the link holds: memory, descriptors. Once, and only when no other thread is in a method of the
     * link or ever will be.
     */
    void free();
}
