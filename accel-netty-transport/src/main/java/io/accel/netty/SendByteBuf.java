// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledUnsafeDirectByteBuf;

/** A buffer in {@link SendMemory}, until it grows beyond its slot. The last release, in any thread, gives the slot back. */
final class SendByteBuf extends UnpooledUnsafeDirectByteBuf {
    private final SendMemory home;
    private final SendMemory.Slot slot;

    SendByteBuf(ByteBufAllocator allocator, SendMemory home, SendMemory.Slot slot, int capacity, int maxCapacity) {
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
