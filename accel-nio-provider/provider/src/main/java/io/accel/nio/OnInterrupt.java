// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

/** The effect of an interrupt on a thread that waits in a channel. */
enum OnInterrupt {
    /** The channel closes, as {@link java.nio.channels.InterruptibleChannel} says. */
    CLOSES,
    /**
     * The thread waits on, and stays interrupted, as in {@link java.net.DatagramSocket#receive}. Only an interrupt of a virtual thread
     * closes the socket.
     */
    WAITS_ON
}
