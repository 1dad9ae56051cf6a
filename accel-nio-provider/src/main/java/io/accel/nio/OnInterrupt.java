package io.accel.nio;

/** What an interrupt does to a thread that waits in a channel. */
enum OnInterrupt {
    /** The channel closes, as {@link java.nio.channels.InterruptibleChannel} says. */
    CLOSES,
    /**
     * It waits on, and stays interrupted, as in {@link java.net.DatagramSocket#receive}. Only of a virtual thread the socket closes.
     */
    WAITS_ON
}
