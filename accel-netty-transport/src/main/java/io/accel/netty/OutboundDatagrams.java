// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.StringUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.UnresolvedAddressException;

/** The messages that a datagram channel writes. */
final class OutboundDatagrams {
    private OutboundDatagrams() {}

    /**
     * Returns the message as it is written, with its bytes in one piece, since a datagram is sent at once.
     *
     * @param msg the message; released if another is returned
     * @param allocator the allocator for bytes that lie in several pieces
     * @throws UnsupportedOperationException if no such message can be sent
     */
    static Object filter(Object msg, ByteBufAllocator allocator) {
        if (msg instanceof ByteBuf buffer) {
            return isOnePiece(buffer) ? buffer : joined(buffer, buffer, allocator);
        }
        if (msg instanceof AddressedEnvelope<?, ?> envelope
                && envelope.content() instanceof ByteBuf content
                && (envelope.recipient() == null || envelope.recipient() instanceof InetSocketAddress)) {
            InetSocketAddress recipient = (InetSocketAddress) envelope.recipient();
            if (recipient != null && recipient.isUnresolved()) {
                throw new UnresolvedAddressException();
            }
            if (isOnePiece(content)) {
                return envelope;
            }
            SocketAddress sender = envelope.sender();
            // The copy is of the same kind: a packet's size counts towards the water marks.
            return envelope instanceof DatagramPacket packet
                    ? new DatagramPacket(joined(envelope, content, allocator), recipient, packet.sender())
                    : new DefaultAddressedEnvelope<>(joined(envelope, content, allocator), recipient, sender);
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(msg)
                + " (expected: DatagramPacket, AddressedEnvelope<ByteBuf, InetSocketAddress>, ByteBuf)");
    }

    /** Returns the bytes of a filtered message. */
    static ByteBuf content(Object message) {
        return message instanceof AddressedEnvelope<?, ?> envelope ? (ByteBuf) envelope.content() : (ByteBuf) message;
    }

    /** Returns the recipient of a filtered message; null for the peer of a connected channel. */
    static InetSocketAddress recipient(Object message) {
        return message instanceof AddressedEnvelope<?, ?> envelope ? (InetSocketAddress) envelope.recipient() : null;
    }

    private static boolean isOnePiece(ByteBuf buffer) {
        return buffer.nioBufferCount() == 1;
    }

    private static ByteBuf joined(Object holder, ByteBuf pieces, ByteBufAllocator allocator) {
        int length = pieces.readableBytes();
        ByteBuf whole = allocator.isDirectBufferPooled() ? allocator.directBuffer(length) : allocator.buffer(length);
        whole.writeBytes(pieces, pieces.readerIndex(), length);
        ReferenceCountUtil.safeRelease(holder);
        return whole;
    }
}
