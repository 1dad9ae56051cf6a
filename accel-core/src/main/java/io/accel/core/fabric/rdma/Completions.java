// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.VerbsException;

/** What a {@link SharedQueue} needs of a device. One thread at a time. */
interface Completions extends AutoCloseable {
    /** Takes completed requests; never waits. Returns how many there are now to be read by their index, at most {@link #atOnce}. */
    int take() throws VerbsException;

    /** How many are taken with one call. */
    int atOnce();

    /** The identifier of a request. */
    long id(int index);

    /** How it ended, one of {@link io.accel.core.fabric.rdma.verbs.WcStatus}. */
    int status(int index);

    /** The word of a message that a receive has taken with success; see {@link Arrivals#take}. */
    int opcode(int index);

    int byteLength(int index);

    int flags(int index);

    int immediate(int index);

    /** Asks for one event at the next completion, or at the next that was sent as solicited, or has failed. */
    void requestNotify(boolean solicitedOnly) throws VerbsException;

    /** Takes an event that has come; more of them are found by the next calls. Returns whether there was one. */
    boolean takeEvents() throws VerbsException;

    @Override
    void close();
}
