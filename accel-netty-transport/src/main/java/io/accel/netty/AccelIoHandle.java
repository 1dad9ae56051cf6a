// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.poll.Pollable;
import io.netty.channel.IoHandle;

/** A handle that an {@link AccelIoHandler} can wait for: those of Accel's channels, since nothing else is pollable. */
interface AccelIoHandle extends IoHandle {
    /** Returns the object to poll, the same one as long as the handle is registered. */
    Pollable pollable();

    /** Closes the object behind this handle, as the event loop ends. */
    @Override
    void close();
}
