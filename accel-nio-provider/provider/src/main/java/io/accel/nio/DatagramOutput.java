// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.JdkBuffers;
import io.accel.core.socket.BlockingWaits;
import io.accel.core.socket.DatagramSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.util.Objects;

/**
 * The sending half of a datagram channel: it makes the checks that the JDK's channels make before they send a datagram, and waits for
 * room. {@link DatagramSocket#lockWrite} admits one thread at a time; the others wait.
 */
final class DatagramOutput {
    private final AccelDatagramChannel channel;
    private final DatagramSocket socket;
    private final BlockingWaits waits;
    private final DatagramInterrupts interrupts;

    DatagramOutput(
            AccelDatagramChannel channel, DatagramSocket socket, BlockingWaits waits, DatagramInterrupts interrupts) {
        this.channel = channel;
        this.socket = socket;
        this.waits = waits;
        this.interrupts = interrupts;
    }

    /** Sends to an address that the JDK's channel does not refuse. */
    int sendTo(ByteBuffer src, InetSocketAddress target) throws IOException {
        channel.ensureOpenToTransfer();
        socket.lockWrite();
        try {
            channel.ensureOpenToTransfer();
            interrupts.refuseInBlockingMode();
            InetSocketAddress only = channel.peer();
            if (only != null && !only.equals(target)) {
                throw new AlreadyConnectedException();
            }
            try {
                return only != null && !src.hasRemaining() ? 0 : send(src, target);
            } catch (IOException e) {
                throw only == null ? DatagramInput.asSockets(e) : e;
            }
        } catch (ClosedChannelException e) {
            throw channel.asClosed(e);
        } finally {
            socket.unlockWrite();
        }
    }

    int write(ByteBuffer src) throws IOException {
        Objects.requireNonNull(src, "src");
        channel.ensureConnected();
        if (!src.hasRemaining()) {
            interrupts.refuseInBlockingMode();
            return 0; // as in the JDK, only send() without a connection sends empty datagrams
        }
        socket.lockWrite();
        try {
            channel.ensureOpenToTransfer();
            interrupts.refuseInBlockingMode();
            InetSocketAddress target = channel.peer();
            if (target == null) {
                throw new NotYetConnectedException();
            }
            return send(src, target);
        } catch (ClosedChannelException e) {
            throw channel.asClosed(e);
        } finally {
            socket.unlockWrite();
        }
    }

    private int send(ByteBuffer src, InetSocketAddress target) throws IOException {
        boolean isBlocking = channel.isBlocking();
        int n = socket.send(src, target);
        if (n > 0 || !isBlocking || !src.hasRemaining()) {
            return n;
        }
        DatagramInterrupts.Wait wait = interrupts.newWait();
        ByteBuffer[] held = DatagramInput.hold(src, null, 0, 0);
        try {
            wait.begin();
            while (channel.isOpen() && n == 0) {
                waitForRoom(wait);
                n = socket.send(src, target);
            }
        } finally {
            JdkBuffers.release(held);
            wait.end(n > 0);
        }
        return n;
    }

    private void waitForRoom(DatagramInterrupts.Wait wait) throws IOException {
        waits.await(socket, SelectionKey.OP_WRITE, -1);
        wait.begin();
    }

    long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        channel.ensureConnected();
        int counted = JdkBuffers.within(srcs, offset, length);
        boolean empty = true;
        for (int i = offset; i < offset + counted; i++) {
            empty &= !srcs[i].hasRemaining();
        }
        if (empty) {
            interrupts.refuseInBlockingMode();
            JdkBuffers.check(srcs, offset, counted);
            return 0;
        }
        socket.lockWrite();
        try {
            channel.ensureOpenToTransfer();
            boolean isBlocking = channel.isBlocking();
            if (isBlocking) {
                interrupts.refuse();
            }
            if (channel.peer() == null) {
                throw new NotYetConnectedException();
            }
            long n = socket.write(srcs, offset, counted);
            return n > 0 || !isBlocking ? n : writeWaiting(srcs, offset, counted);
        } catch (ClosedChannelException e) {
            throw channel.asClosed(e);
        } finally {
            socket.unlockWrite();
        }
    }

    private long writeWaiting(ByteBuffer[] srcs, int offset, int length) throws IOException {
        long n = 0;
        DatagramInterrupts.Wait wait = interrupts.newWait();
        ByteBuffer[] held = DatagramInput.hold(null, srcs, offset, length);
        try {
            wait.begin();
            while (channel.isOpen() && n == 0) {
                waitForRoom(wait);
                n = socket.write(srcs, offset, length);
            }
        } finally {
            JdkBuffers.release(held);
            wait.end(n > 0);
        }
        return n;
    }
}
