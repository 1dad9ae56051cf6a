package io.accel.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;

/** As {@link SendByteBuf}, where Netty has no access to {@code sun.misc.Unsafe}: each access is one of the JDK's buffer. */
final class SafeSendByteBuf extends UnpooledDirectByteBuf {
    private final SendMemory home;
    private final SendMemory.Slot slot;

    SafeSendByteBuf(ByteBufAllocator allocator, SendMemory home, SendMemory.Slot slot, int capacity, int maxCapacity) {
        super(allocator, slot.memory().slice(0, capacity), maxCapacity);
        this.home = home;
        this.slot = slot;
        setIndex(0, 0); // else what it is made of counts as written
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        home.give(slot);
    }
}
