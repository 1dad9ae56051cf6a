package io.accel.netty;

import io.accel.core.poll.Pollable;
import io.netty.channel.IoHandle;

/** Something that an {@link AccelIoHandler} can wait for. */
public interface AccelIoHandle extends IoHandle {
    /** What is looked at: the same object as long as the handle is registered. */
    Pollable pollable();

    /** The event loop ends: closes what this stands for. */
    @Override
    void close();
}
