// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.jdk.VirtualThreads;
import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * Received bytes that lie in the receive ring, until they are released or copied out.
 *
 * <p><b>Who may touch the ring.</b> Only the event loop that lent the slice reads and writes the ring, and only it gives the space
 * back. Any other thread copies the bytes out before it touches them. {@link #nioBuffer} copies them out in every thread, since a
 * caller may keep its view as long as the buffer, and the bytes under it must not move. {@link #internalNioBuffer}, from which TLS
 * engines and decompressors read, is a view of the ring in the event loop, and valid until the handlers return to the loop. A caller
 * that keeps the view for longer, as the kernel's path does for a message that it could not write at once, must have the slice
 * {@linkplain #settle settled} before. So no thread can be within the ring when its space is given back or its memory is unmapped.
 * States only go forward:
 *
 * <pre>
 *   LENT --release--> RELEASED            the space is the sender's, the object is used again
 *   LENT --copyOut--> COPYING --> COPIED  the space is the sender's, the object lives on with its copy
 * </pre>
 */
final class RingByteBuf extends AbstractReferenceCountedByteBuf {
    private static final int LENT = 0;
    private static final int RELEASED = 1;
    private static final int COPYING = 2;
    private static final int COPIED = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup()
                    .findVarHandle(RingByteBuf.class, "state", int.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ByteBuf ring;

    // Set before the slice is handed out.
    private Thread owner;
    private ByteBufAllocator allocator;
    private long cursor;
    private int offset;
    private int lentLength;

    private int length;
    private volatile int state;
    /** Written before the state becomes COPIED. */
    private volatile ByteBuf copy;

    /** A view of the ring, made at the first need, and used again as the slice is. Event loop only. */
    private ByteBuffer view;
    /** Whether the view was handed out since the slice was lent. Event loop only. */
    private boolean viewed;

    RingByteBuf(ByteBuf ring) {
        super(0);
        this.ring = ring;
    }

    /** Makes this a slice of the ring, owned by the calling thread; the object is new, or was released before. */
    void lend(long from, int at, int bytes, ByteBufAllocator copyBy) {
        owner = Thread.currentThread();
        allocator = copyBy;
        cursor = from;
        offset = at;
        length = bytes;
        lentLength = bytes;
        viewed = false;
        state = LENT;
        maxCapacity(bytes);
        resetRefCnt();
        setIndex(0, 0);
        markReaderIndex();
        markWriterIndex();
        writerIndex(bytes);
    }

    /** The place in the stream where the slice begins. */
    long cursor() {
        return cursor;
    }

    /** Whether no thread will touch the ring for this slice any more. */
    boolean isDone() {
        int now = state;
        return now == RELEASED || now == COPIED;
    }

    /** Whether the object can be lent again, as no caller has it. */
    boolean isReusable() {
        return state == RELEASED;
    }

    /** Whether the slice lives on with a copy of its bytes. */
    boolean isCopied() {
        return state == COPIED;
    }

    /** Whether a view of the ring was handed out since the slice was lent. Event loop only. */
    boolean wasViewed() {
        return viewed;
    }

    /** Whether a caller up the stack may be reading from the ring. Event loop only. */
    boolean isViewed() {
        return viewed && state == LENT;
    }

    /**
     * Copies out the bytes that a buffer, or a buffer within it, has in a ring, for a caller that keeps views of them. Any thread.
     *
     * @param buffer any buffer
     */
    static void settle(ByteBuf buffer) {
        for (ByteBuf inner = buffer; inner != null; inner = inner.unwrap()) {
            if (inner instanceof RingByteBuf slice) {
                slice.copied();
            } else if (inner instanceof CompositeByteBuf composite) {
                for (int i = 0; i < composite.numComponents(); i++) {
                    settle(composite.internalComponent(i));
                }
                return;
            }
        }
    }

    /**
     * Moves the bytes out of the ring, unless that was done before or the slice has been released. Any thread.
     *
     * @return the copy; null if the slice has been released
     */
    ByteBuf copyOut() {
        while (true) {
            int now = state;
            if (now == COPIED) {
                return copy;
            }
            if (now == RELEASED) {
                return null;
            }
            if (now == LENT && (boolean) STATE.compareAndSet(this, LENT, COPYING)) {
                return copyNow();
            }
            if (!VirtualThreads.parkBriefly()) { // another thread is copying, perhaps one that waits for this carrier
                Thread.onSpinWait();
            }
        }
    }

    private ByteBuf copyNow() {
        ByteBuf made = null;
        try {
            made = allocator.directBuffer(lentLength);
            // Through a view of our own, as the ring's owner uses the ring at the same time.
            made.writeBytes(ring.nioBuffer(offset, lentLength));
            copy = made;
        } finally {
            state = copy != null ? COPIED : LENT;
        }
        return made;
    }

    @Override
    protected void deallocate() {
        if (!(boolean) STATE.compareAndSet(this, LENT, RELEASED)) {
            copyOut().release();
        }
    }

    /** The buffer in which the calling thread finds the bytes: the ring or the copy. */
    private ByteBuf bytes() {
        ByteBuf copied = copy;
        if (copied != null) {
            return copied;
        }
        if (Thread.currentThread() == owner) {
            return ring;
        }
        return copied();
    }

    private ByteBuf copied() {
        ByteBuf copied = copyOut();
        if (copied == null) {
            throw new IllegalReferenceCountException(0);
        }
        return copied;
    }

    @SuppressWarnings("ReferenceEquality") // which of the two it is, not what is in it
    private int at(ByteBuf bytes, int index) {
        return bytes == ring ? offset + index : index;
    }

    // ---- the buffer itself

    @Override
    public int capacity() {
        return length;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        checkNewCapacity(newCapacity);
        if (newCapacity < length) {
            length = newCapacity;
            trimIndicesToCapacity(newCapacity);
        }
        return this;
    }

    @Override
    public ByteBufAllocator alloc() {
        return allocator;
    }

    @Override
    @SuppressWarnings({"deprecation", "InlineMeSuggester"}) // every buffer of Netty's must implement it
    public ByteOrder order() {
        return ByteOrder.BIG_ENDIAN;
    }

    @Override
    public ByteBuf unwrap() {
        return null;
    }

    @Override
    public boolean isDirect() {
        return true;
    }

    @Override
    public boolean hasArray() {
        return false;
    }

    @Override
    public byte[] array() {
        throw new UnsupportedOperationException("direct buffer");
    }

    @Override
    public int arrayOffset() {
        throw new UnsupportedOperationException("direct buffer");
    }

    /** Returns false: an address would outlive the slice's place in the ring. */
    @Override
    public boolean hasMemoryAddress() {
        return false;
    }

    @Override
    public long memoryAddress() {
        throw new UnsupportedOperationException("a slice of a ring has no lasting address");
    }

    /** Returns true, though the slice never grows: decoders then cumulate into it, and not into a copy. */
    @Override
    public boolean isContiguous() {
        return true;
    }

    @Override
    public int nioBufferCount() {
        return 1;
    }

    @Override
    public ByteBuffer nioBuffer(int index, int bytes) {
        checkIndex(index, bytes);
        return copied().nioBuffer(index, bytes);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // which of the two it is, not what is in it
    public ByteBuffer internalNioBuffer(int index, int bytes) {
        checkIndex(index, bytes);
        ByteBuf b = bytes();
        return b == ring ? ringView(index, bytes) : b.internalNioBuffer(index, bytes);
    }

    /** Returns this slice's own view: all slices share the ring's. */
    private ByteBuffer ringView(int index, int bytes) {
        if (view == null) {
            view = ring.nioBuffer(0, ring.capacity());
        }
        viewed = true;
        int from = offset + index;
        return view.limit(from + bytes).position(from);
    }

    @Override
    public ByteBuffer[] nioBuffers(int index, int bytes) {
        return new ByteBuffer[] {nioBuffer(index, bytes)};
    }

    @Override
    public ByteBuf copy(int index, int bytes) {
        checkIndex(index, bytes);
        return alloc().directBuffer(bytes).writeBytes(this, index, bytes);
    }

    // ---- single values; the caller has checked the index

    @Override
    protected byte _getByte(int index) {
        ByteBuf b = bytes();
        return b.getByte(at(b, index));
    }

    @Override
    protected short _getShort(int index) {
        ByteBuf b = bytes();
        return b.getShort(at(b, index));
    }

    @Override
    protected short _getShortLE(int index) {
        ByteBuf b = bytes();
        return b.getShortLE(at(b, index));
    }

    @Override
    protected int _getUnsignedMedium(int index) {
        ByteBuf b = bytes();
        return b.getUnsignedMedium(at(b, index));
    }

    @Override
    protected int _getUnsignedMediumLE(int index) {
        ByteBuf b = bytes();
        return b.getUnsignedMediumLE(at(b, index));
    }

    @Override
    protected int _getInt(int index) {
        ByteBuf b = bytes();
        return b.getInt(at(b, index));
    }

    @Override
    protected int _getIntLE(int index) {
        ByteBuf b = bytes();
        return b.getIntLE(at(b, index));
    }

    @Override
    protected long _getLong(int index) {
        ByteBuf b = bytes();
        return b.getLong(at(b, index));
    }

    @Override
    protected long _getLongLE(int index) {
        ByteBuf b = bytes();
        return b.getLongLE(at(b, index));
    }

    @Override
    protected void _setByte(int index, int value) {
        ByteBuf b = bytes();
        b.setByte(at(b, index), value);
    }

    @Override
    protected void _setShort(int index, int value) {
        ByteBuf b = bytes();
        b.setShort(at(b, index), value);
    }

    @Override
    protected void _setShortLE(int index, int value) {
        ByteBuf b = bytes();
        b.setShortLE(at(b, index), value);
    }

    @Override
    protected void _setMedium(int index, int value) {
        ByteBuf b = bytes();
        b.setMedium(at(b, index), value);
    }

    @Override
    protected void _setMediumLE(int index, int value) {
        ByteBuf b = bytes();
        b.setMediumLE(at(b, index), value);
    }

    @Override
    protected void _setInt(int index, int value) {
        ByteBuf b = bytes();
        b.setInt(at(b, index), value);
    }

    @Override
    protected void _setIntLE(int index, int value) {
        ByteBuf b = bytes();
        b.setIntLE(at(b, index), value);
    }

    @Override
    protected void _setLong(int index, long value) {
        ByteBuf b = bytes();
        b.setLong(at(b, index), value);
    }

    @Override
    protected void _setLongLE(int index, long value) {
        ByteBuf b = bytes();
        b.setLongLE(at(b, index), value);
    }

    // ---- many values

    @Override
    public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int bytes) {
        checkDstIndex(index, bytes, dstIndex, dst.capacity());
        ByteBuf b = bytes();
        b.getBytes(at(b, index), dst, dstIndex, bytes);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int bytes) {
        checkDstIndex(index, bytes, dstIndex, dst.length);
        ByteBuf b = bytes();
        b.getBytes(at(b, index), dst, dstIndex, bytes);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuffer dst) {
        checkIndex(index, dst.remaining());
        ByteBuf b = bytes();
        b.getBytes(at(b, index), dst);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, OutputStream out, int bytes) throws IOException {
        checkIndex(index, bytes);
        ByteBuf b = bytes();
        b.getBytes(at(b, index), out, bytes);
        return this;
    }

    @Override
    public int getBytes(int index, GatheringByteChannel out, int bytes) throws IOException {
        checkIndex(index, bytes);
        ByteBuf b = bytes();
        return b.getBytes(at(b, index), out, bytes);
    }

    @Override
    public int getBytes(int index, FileChannel out, long position, int bytes) throws IOException {
        checkIndex(index, bytes);
        ByteBuf b = bytes();
        return b.getBytes(at(b, index), out, position, bytes);
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int bytes) {
        checkSrcIndex(index, bytes, srcIndex, src.capacity());
        ByteBuf b = bytes();
        b.setBytes(at(b, index), src, srcIndex, bytes);
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, byte[] src, int srcIndex, int bytes) {
        checkSrcIndex(index, bytes, srcIndex, src.length);
        ByteBuf b = bytes();
        b.setBytes(at(b, index), src, srcIndex, bytes);
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuffer src) {
        checkIndex(index, src.remaining());
        ByteBuf b = bytes();
        b.setBytes(at(b, index), src);
        return this;
    }

    @Override
    public int setBytes(int index, InputStream in, int bytes) throws IOException {
        checkIndex(index, bytes);
        ByteBuf b = bytes();
        return b.setBytes(at(b, index), in, bytes);
    }

    @Override
    public int setBytes(int index, ScatteringByteChannel in, int bytes) throws IOException {
        checkIndex(index, bytes);
        ByteBuf b = bytes();
        return b.setBytes(at(b, index), in, bytes);
    }

    @Override
    public int setBytes(int index, FileChannel in, long position, int bytes) throws IOException {
        checkIndex(index, bytes);
        ByteBuf b = bytes();
        return b.setBytes(at(b, index), in, position, bytes);
    }
}
