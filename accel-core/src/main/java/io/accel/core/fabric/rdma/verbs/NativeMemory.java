// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import com.kenai.jffi.MemoryIO;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Memory outside the heap that a C library or a device reads and writes. It lives as long as this object is
 * reachable. Code that gives the address away keeps the object for as long as the address may be used: in a field,
 * or, during a call, by try-with-resources.
 */
final class NativeMemory implements AutoCloseable {
    private static final MemoryIO IO = MemoryIO.getInstance();

    /** The memory in the machine's byte order, from 0 to the size. */
    final ByteBuffer buffer;

    final long address;

    private NativeMemory(ByteBuffer buffer) {
        this.buffer = buffer;
        this.address = addressOf(buffer);
    }

    /** Allocates zeroed memory, aligned for any structure. */
    static NativeMemory allocate(int size) {
        return new NativeMemory(ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder()));
    }

    /** Frees nothing: up to here the memory was reachable. */
    @Override
    @SuppressWarnings("ReachabilityFenceUsage") // This is the finally block of the callers' try.
    public void close() {
        Reference.reachabilityFence(this);
    }

    /** The address of a direct buffer's first byte, whatever its position. */
    static long addressOf(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException("a heap buffer has no address that stays");
        }
        return IO.getDirectBufferAddress(direct);
    }

    static byte getByte(long address) {
        return IO.getByte(address);
    }

    static short getShort(long address) {
        return IO.getShort(address);
    }

    static int getInt(long address) {
        return IO.getInt(address);
    }

    static long getPointer(long address) {
        return IO.getAddress(address);
    }

    static byte[] getBytes(long address, int length) {
        byte[] bytes = new byte[length];
        IO.getByteArray(address, bytes, 0, length);
        return bytes;
    }

    static String getString(long address) {
        return new String(getBytes(address, (int) IO.getStringLength(address)), StandardCharsets.UTF_8);
    }
}
