// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.JdkBuffers;
import io.accel.core.jdk.MappedCopy;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.socket.DatagramSocket;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;

/**
 * The receiving half of a datagram channel: it makes the checks that the JDK's channels make before they take a datagram, and waits
 * for one. {@link DatagramSocket#lockRead} admits one thread at a time; the others wait.
 */
final class DatagramInput {
    /** The result of the JDK's channels for an empty datagram that was read, which elsewhere means the end of a stream. */
    private static final int EMPTY = -1;

    private final AccelDatagramChannel channel;
    private final DatagramSocket socket;
    private final DatagramInterrupts interrupts;

    DatagramInput(AccelDatagramChannel channel, DatagramSocket socket, DatagramInterrupts interrupts) {
        this.channel = channel;
        this.socket = socket;
        this.interrupts = interrupts;
    }

    SocketAddress receive(ByteBuffer dst) throws IOException {
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        try {
            return receive(dst, -1);
        } catch (IOException e) {
            throw asSockets(e);
        }
    }

    /** Returns the exception of the JDK's {@code send} and {@code receive} for memory that is not there; that of its read and write is given. */
    static IOException asSockets(IOException e) {
        if (e.getClass() != IOException.class || !MappedCopy.isFault(e)) {
            return e;
        }
        SocketException told = new SocketException(e.getMessage());
        told.initCause(e);
        return told;
    }

    /** Keeps the arenas of buffers open during a wait, as the JDK's channels do for a thread that waits in the kernel. */
    static ByteBuffer[] hold(ByteBuffer one, ByteBuffer[] many, int offset, int length) {
        return VirtualThreads.isCurrent() ? null : JdkBuffers.hold(one, many, offset, length);
    }

    /** Waits for a datagram for the socket adaptor; throws if waiting is not allowed. */
    SocketAddress receiveBlocking(ByteBuffer dst, long timeoutNanos) throws IOException {
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        return receive(dst, timeoutNanos);
    }

    /**
     * Does {@link #receive(ByteBuffer)}, within a time if the channel is in blocking mode.
     *
     * @param timeoutNanos how long to wait; negative for no limit
     * @throws SocketTimeoutException if the time is over
     */
    private SocketAddress receive(ByteBuffer dst, long timeoutNanos) throws IOException {
        channel.ensureOpenToTransfer();
        socket.lockRead();
        try {
            channel.ensureOpenToTransfer();
            return receiveEntered(dst, timeoutNanos);
        } finally {
            socket.unlockRead();
        }
    }

    private SocketAddress receiveEntered(ByteBuffer dst, long timeoutNanos) throws IOException {
        try {
            boolean waits = begin();
            SocketAddress from = socket.receive(dst);
            return from != null || !waits ? from : receiveWaiting(dst, timeoutNanos);
        } catch (ClosedChannelException e) {
            throw channel.asClosed(e);
        }
    }

    /** Begins a receive in the receiving half. Returns whether it may wait. */
    private boolean begin() throws IOException {
        boolean waits = channel.isBlocking();
        if (waits) {
            socket.takeTurn();
            interrupts.refuse();
        }
        return waits;
    }

    private SocketAddress receiveWaiting(ByteBuffer dst, long timeoutNanos) throws IOException {
        long start = System.nanoTime();
        SocketAddress from = null;
        DatagramInterrupts.Wait wait = interrupts.newWait();
        ByteBuffer[] held = dst.hasRemaining() ? hold(dst, null, 0, 0) : null;
        try {
            wait.begin();
            while (channel.isOpen()) {
                from = socket.receive(dst);
                if (from != null) {
                    break;
                }
                waitForDatagram(wait, start, timeoutNanos);
            }
        } finally {
            JdkBuffers.release(held);
            wait.end(from != null);
        }
        return from;
    }

    private void waitForDatagram(DatagramInterrupts.Wait wait, long start, long timeoutNanos) throws IOException {
        long left = timeoutNanos < 0 ? -1 : timeoutNanos - (System.nanoTime() - start);
        if (timeoutNanos >= 0 && left <= 0) {
            throw new SocketTimeoutException("Receive timed out");
        }
        socket.awaitReadable(left);
        wait.begin();
    }

    int read(ByteBuffer dst) throws IOException {
        Objects.requireNonNull(dst, "dst");
        channel.ensureConnected();
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        if (!dst.hasRemaining()) {
            interrupts.refuseInBlockingMode();
            return 0; // as in the JDK's channels, the datagram stays
        }
        int before = dst.position();
        boolean found;
        try {
            found = receive(dst, -1) != null;
        } catch (SocketException e) {
            throw MappedCopy.isFault(e) ? new IOException(e.getMessage(), e) : e; // as asSockets
        }
        int n = dst.position() - before;
        return found && n == 0 ? EMPTY : n;
    }

    long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        channel.ensureConnected();
        int counted = JdkBuffers.within(dsts, offset, length);
        JdkBuffers.checkTargets(dsts, offset, counted);
        boolean room = false;
        for (int i = offset; i < offset + counted; i++) {
            room |= dsts[i].hasRemaining();
        }
        if (!room) {
            interrupts.refuseInBlockingMode();
            return 0;
        }
        socket.lockRead();
        try {
            channel.ensureOpenToTransfer();
            return readEntered(dsts, offset, counted);
        } finally {
            socket.unlockRead();
        }
    }

    private long readEntered(ByteBuffer[] dsts, int offset, int counted) throws IOException {
        try {
            boolean waits = begin();
            long n = socket.receive(dsts, offset, counted);
            if (n < 0 && !waits) {
                return 0;
            }
            n = n < 0 ? readWaiting(dsts, offset, counted) : n;
            return n == 0 ? EMPTY : n;
        } catch (ClosedChannelException e) {
            throw channel.asClosed(e);
        }
    }

    private long readWaiting(ByteBuffer[] dsts, int offset, int length) throws IOException {
        long n = -1;
        DatagramInterrupts.Wait wait = interrupts.newWait();
        ByteBuffer[] held = hold(null, dsts, offset, length);
        try {
            wait.begin();
            while (channel.isOpen()) {
                n = socket.receive(dsts, offset, length);
                if (n >= 0) {
                    break;
                }
                waitForDatagram(wait, 0, -1);
            }
        } finally {
            JdkBuffers.release(held);
            wait.end(n >= 0);
        }
        return n;
    }
}
