// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;

/** A {@link SendByteBuf} for where Netty has no access to {@code sun.misc.Unsafe}: each access goes through the JDK's buffer. */
final class SafeSendByteBuf extends UnpooledDirectByteBuf {
    private final SendMemory home;
    private final SendMemory.Slot slot;

    SafeSendByteBuf(ByteBufAllocator allocator, SendMemory home, SendMemory.Slot slot, int capacity, int maxCapacity) {
        super(allocator, slot.memory().slice(0, capacity), maxCapacity);
        this.home = home;
        this.slot = slot;
        setIndex(0, 0); // else the slot's memory would count as written
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        home.give(slot);
    }
}
