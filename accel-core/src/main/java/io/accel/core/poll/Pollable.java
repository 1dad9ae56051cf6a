// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.nio.channels.SelectableChannel;

/**
 * An object that becomes ready: a kernel channel, an accelerated link, a handshake under way. Operations are those of
 * {@link java.nio.channels.SelectionKey}.
 *
 * <p>A pollable may be registered with several pollers, so all methods may be called by several threads at a time,
 * and must not block.
 */
public interface Pollable {
    /**
     * A bit beside {@link java.nio.channels.SelectionKey}'s operations: a stream has ended and nothing is left to
     * read but the end or a reset. A user that does not want to read can wait for it. The kernel's descriptors do not
     * distinguish it: there it means that something can be read.
     */
    int END = 1 << 1;

    /**
     * A bit beside these: the device has read the bytes that are sent from the program's own memory, up to the place
     * that a user asked about. Only an accelerated stream ever reports it.
     */
    int SENT = 1 << 5;

    /**
     * The channel whose kernel descriptor stands for this in the JDK's selector; in non-blocking mode. Null for none.
     */
    SelectableChannel watched();

    /**
     * Whether other pollables, too, have that {@link #watched()} channel, where the JDK's selector takes a channel once. The poller then
     * watches it once, to be read, as long as one of them has anything to watch for. When it can be read, {@link #takeRings} finds out
     * whose ring it was. The answer never changes.
     */
    default boolean isWatchedShared() {
        return false;
    }

    /**
     * The shared channel can be read: takes what has come, and runs the {@linkplain #addRinger ringers} of each pollable that it is for,
     * not only of this one.
     */
    default void takeRings() {}

    /**
     * Adds a call for each ring that is for this pollable. Only where the channel is shared.
     *
     * @param ringer run by any thread, which may hold locks; it must not wait, and take no lock that is held while a pollable is called
     */
    default void addRinger(Runnable ringer) {}

    /** Removes a call; one that is under way may come afterwards. */
    default void removeRinger(Runnable ringer) {}

    /**
     * The operations to watch that channel for.
     *
     * @param interest the operations of interest; may be 0
     * @return operations that are valid for {@link #watched()}
     */
    int watchedOps(int interest);

    /**
     * Whether {@link #look} can tell by looking at memory; false if the kernel's descriptor tells everything. The
     * answer may change: a poller does not spin for a pollable that has nothing more in memory, and a refresh tells
     * it when that is over.
     */
    boolean isPolled();

    /**
     * Whether a device brings what this waits for from another host, so that no thread of this host has to run for it. A poller asks
     * when it begins to look at this.
     */
    default boolean isRemote() {
        return false;
    }

    /**
     * Whether this only rings for another, armed registration of the same poller. That registration is the attachment
     * of this pollable's registration, and is looked at when this rings: as long as it is looked at anyway, there is no hurry to hear
     * the ring.
     */
    default boolean isDoorbell() {
        return false;
    }

    /**
     * Whether the kernel alone carries the traffic that this waits for, so that nothing else is freed when its
     * registration has ended.
     */
    default boolean isKernels() {
        return false;
    }

    /**
     * Looks, without a system call, which operations are ready. Called again and again.
     *
     * @param interest the operations of interest
     * @return the ready operations among them
     */
    int look(int interest);

    /**
     * Takes the kernel's report. A polled one drains its doorbell here and is looked at afterwards.
     *
     * @param interest the operations of interest
     * @param watchedReady the operations that are ready on {@link #watched()}, 0 if the {@link #deadline()} has
     * passed
     * @return the operations of interest that are ready, if this is not polled; otherwise 0
     */
    int kernelReady(int interest, int watchedReady);

    /**
     * Asks for the doorbell. The caller looks once more before it sleeps.
     *
     * @param interest the operations of interest
     */
    void arm(int interest);

    /**
     * A registration's poller has taken notice of a {@linkplain Registration#refresh refresh}: it is not in {@link
     * #look} or another method for the registration, and uses only their findings from now on.
     *
     * @param registration the registration
     */
    default void refreshed(Registration registration) {}

    /** When to call {@link #kernelReady} though nothing has happened; {@link Long#MAX_VALUE} for never. */
    long deadline();

    /**
     * A registration begins; memory must stay until {@link #released}.
     *
     * @return false if it is too late, because this is closed
     */
    boolean retained(Registration registration);

    /** A registration has ended; the poller will not touch the object again for it. */
    void released(Registration registration);

    /**
     * A method of this has met an error that it does not declare, in a poller, which serves others, too. What this stands for ends, and
     * its users are told why. From now on {@link #look} returns all operations of interest, and no method touches what has failed.
     *
     * @param e the error
     * @return false if this has nothing to end: the caller of the poll hears of the error
     */
    default boolean failed(Throwable e) {
        return false;
    }

    /** Whether all memory of this can be touched. A poller asks when the JVM has reported a fault and does not say where. */
    default boolean isIntact() {
        return true;
    }
}
