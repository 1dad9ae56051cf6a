// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.socket.Relief;
import io.netty.channel.ChannelException;
import java.io.IOException;
import java.nio.channels.SelectableChannel;

/**
 * How a channel of the JDK's is opened for a channel of Accel's.
 *
 * @param <C> the kind of the JDK's channel
 */
@FunctionalInterface
interface KernelOpening<C extends SelectableChannel> {
    C open() throws IOException;

    /**
     * Opens the JDK's channel, in non-blocking mode.
     *
     * @param what the kind of socket, for the error
     * @throws ChannelException if the kernel's socket cannot be opened
     */
    static <C extends SelectableChannel> C nonBlocking(String what, KernelOpening<C> opening) {
        Accel.ensureAvailability();
        try {
            C channel = openOrRelieve(opening);
            channel.configureBlocking(false);
            return channel;
        } catch (IOException | UnsupportedOperationException e) {
            throw new ChannelException("cannot open " + what, e);
        }
    }

    /** Opens the JDK's channel; if there is no descriptor for it, links are given back. */
    static <C extends SelectableChannel> C openOrRelieve(KernelOpening<C> opening) throws IOException {
        try {
            return opening.open();
        } catch (IOException e) {
            return Relief.again(e, opening::open, Accel.accelerator().waits());
        }
    }
}
