package io.accel.core.poll;

import java.nio.channels.SelectableChannel;

/**
 * Something that becomes ready: a kernel channel, an accelerated link, a handshake under way. Operations are those of
 * {@link java.nio.channels.SelectionKey}.
 *
 * <p>May be registered with several pollers, so all methods may be called by several threads at a time, and must not
 * block.
 */
public interface Pollable {
    /**
     * Beside {@link java.nio.channels.SelectionKey}'s operations: a stream has ended and nothing is left to read but the end
     * or a reset. A user that does not want to read can wait for it. The kernel's descriptors do not tell it apart: there it means
     * that something can be read.
     */
    int END = 1 << 1;

    /**
     * Beside these: bytes that are sent from where the program has them have been read there, up to where somebody asked to be
     * told. Nothing else but an accelerated stream ever is.
     */
    int SENT = 1 << 5;

    /** The channel with a kernel descriptor that stands for it in the JDK's selector; in non-blocking mode. Null for none. */
    SelectableChannel watched();

    /**
     * What to watch that channel for.
     *
     * @param interest the operations of interest; may be 0
     * @return operations that are valid for {@link #watched()}
     */
    int watchedOps(int interest);

    /**
     * Whether {@link #look} can tell by looking at memory; false if the kernel's descriptor tells everything. It may change:
     * who waits does not spin for one that has nothing more in memory, and is told by a refresh when that is over.
     */
    boolean isPolled();

    /**
     * Whether this only rings for another registration of the same poller that is armed, which is the attachment of this one's, and is
     * looked at when it rings: as long as that is looked at, there is no hurry to hear it.
     */
    default boolean isDoorbell() {
        return false;
    }

    /** Whether the kernel alone carries what this waits for, so that nothing else is freed when its registration has ended. */
    default boolean isKernels() {
        return false;
    }

    /**
     * Looks, without a system call, what is ready. Called again and again.
     *
     * @param interest the operations of interest
     * @return those of them that are ready
     */
    int look(int interest);

    /**
     * Takes what the kernel reported. A polled one drains its doorbell here and is looked at afterwards.
     *
     * @param interest the operations of interest
     * @param watchedReady what is ready on {@link #watched()}, 0 if the {@link #deadline()} has passed
     * @return the operations of interest that are ready, if it is not polled; otherwise 0
     */
    int kernelReady(int interest, int watchedReady);

    /**
     * Asks for the doorbell. The caller looks once more before it sleeps.
     *
     * @param interest the operations of interest
     */
    void arm(int interest);

    /**
     * A registration's poller has taken notice of a {@linkplain Registration#refresh refresh}: it is not in {@link #look} or
     * another method for it, and what these find from now on is all that they use.
     *
     * @param registration which
     */
    default void refreshed(Registration registration) {}

    /** When {@link #kernelReady} wants to be called though nothing has happened; {@link Long#MAX_VALUE} for never. */
    long deadline();

    /**
     * A registration begins; memory must stay until {@link #released}.
     *
     * @return false if it is too late: closed
     */
    boolean retained(Registration registration);

    /** A registration has ended; the poller will not touch the object again for it. */
    void released(Registration registration);
}
