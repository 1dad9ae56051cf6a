// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.nio.ByteBuffer;

/**
 * The words that either side tells the other in the connection manager's private data: the place that it may write
 * to.
 *
 * <pre>
 *   magic 4, version 2, feature bits 2 (1: writes are told of by a SEND after them, not by immediate data), address of the region 8, its key 4, logarithm of the ring's size 1, reserved 1,
 *   receives posted 2, nonce 8, port 2, secret 8, what the sender knows of the connection's bytes 12
 * </pre>
 *
 * Big-endian, 54 bytes; devices pad it with zeros. A region is one page with the {@link ControlCell}, then the ring. The
 * first 6 bytes are the same in all versions, so that versions can refuse each other; a refusal is magic, version and a
 * {@link FallbackReason#code()} of 2 bytes.
 *
 * @param address the region's address in the sender's address space
 * @param key the key that opens the region, to this connection alone
 * @param ringSize bytes of the ring behind the page; a listener answers with the size that both have, and that size
 * counts
 * @param receives how many receives the sender has posted
 * @param nonce the client's number, which the listener gives back
 * @param port the client program's port, which differs from the connection manager's; a listener gives its own
 * @param notifyBySend whether this side announces its writes by a SEND, and expects that of the peer
 * @param secret a random number of the sender's; see {@link #secrets}
 * @param carried what the sender knows of the bytes that the connection has carried
 */
record Offer(
        long address,
        int key,
        int ringSize,
        int receives,
        long nonce,
        int port,
        boolean notifyBySend,
        long secret,
        Carried carried) {
    private static final int NOTIFY_BY_SEND = 1;

    static final int MAGIC = 0x41_43_52_44;
    static final int VERSION = 4;
    static final int SIZE = 54;
    static final int REFUSAL = 8;

    static final int LEAST_RING = 1 << 12;
    static final int MOST_RING = 1 << 26;

    ByteBuffer encode() {
        return ByteBuffer.allocate(SIZE)
                .putInt(MAGIC)
                .putShort((short) VERSION)
                .putShort((short) (notifyBySend ? NOTIFY_BY_SEND : 0))
                .putLong(address)
                .putInt(key)
                .put((byte) Integer.numberOfTrailingZeros(ringSize))
                .put((byte) 0)
                .putShort((short) receives)
                .putLong(nonce)
                .putShort((short) port)
                .putLong(secret)
                .putShort((short) carried.sent())
                .putShort((short) carried.received())
                .putLong(carried.tag())
                .flip();
    }

    static Offer decode(ByteBuffer data) throws FallbackException {
        checkHead(data);
        if (data.remaining() < SIZE) {
            throw bad("an offer of " + data.remaining() + " bytes");
        }
        int at = data.position() + 8;
        int logarithm = Byte.toUnsignedInt(data.get(at + 12));
        if (logarithm < Integer.numberOfTrailingZeros(LEAST_RING)
                || logarithm > Integer.numberOfTrailingZeros(MOST_RING)) {
            throw bad("a ring of 2^" + logarithm + " bytes");
        }
        int receives = Short.toUnsignedInt(data.getShort(at + 14));
        if (receives < ReceiveCredits.LEAST) {
            throw bad("only " + receives + " receives");
        }
        return new Offer(
                data.getLong(at),
                data.getInt(at + 8),
                1 << logarithm,
                receives,
                data.getLong(at + 16),
                Short.toUnsignedInt(data.getShort(at + 24)),
                (data.getShort(at - 2) & NOTIFY_BY_SEND) != 0,
                data.getLong(at + 26),
                new Carried(
                        Short.toUnsignedInt(data.getShort(at + 34)),
                        Short.toUnsignedInt(data.getShort(at + 36)),
                        data.getLong(at + 38)));
    }

    /** The random numbers of a client, which only the listener hears. */
    static byte[] secrets(long nonce, long client) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(nonce)
                .putLong(client)
                .array();
    }

    /** The random numbers of both ends, which only the two ends of the link have. */
    static byte[] secrets(long nonce, long client, long listener) {
        return ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(nonce)
                .putLong(client)
                .putLong(listener)
                .array();
    }

    /** Throws unless the peer announces its writes in the way that this side expects. */
    void checkNotification(boolean bySend) throws FallbackException {
        if (notifyBySend != bySend) {
            throw new FallbackException(
                    FallbackReason.VERSION_MISMATCH,
                    "one end tells of its writes by messages, the other by immediate data; set rdma.notify to the same");
        }
    }

    static ByteBuffer refusal(FallbackReason reason) {
        return ByteBuffer.allocate(REFUSAL)
                .putInt(MAGIC)
                .putShort((short) VERSION)
                .putShort((short) reason.code())
                .flip();
    }

    /** Why a listener refused; the answer of a listener that is not Accel tells nothing of ours. */
    static FallbackException refused(ByteBuffer data) {
        if (data.remaining() < REFUSAL || data.getInt(data.position()) != MAGIC) {
            return new FallbackException(
                    FallbackReason.PEER_NOT_ACCELERATED, "the listener for RDMA there refused, and is not Accel");
        }
        FallbackReason reason = FallbackReason.ofCode(Short.toUnsignedInt(data.getShort(data.position() + 6)));
        return new FallbackException(
                reason, "the listener refused: " + reason.sentence(), reason == FallbackReason.NOT_YET);
    }

    private static void checkHead(ByteBuffer data) throws FallbackException {
        if (data.remaining() < 6 || data.getInt(data.position()) != MAGIC) {
            throw bad("something other than an Accel offer");
        }
        int version = Short.toUnsignedInt(data.getShort(data.position() + 4));
        if (version != VERSION) {
            throw new FallbackException(
                    FallbackReason.VERSION_MISMATCH,
                    "the peer speaks version " + version + " of the RDMA protocol, this side version " + VERSION
                            + "; run the same Accel on both ends");
        }
    }

    private static FallbackException bad(String what) {
        return new FallbackException(FallbackReason.BAD_HANDSHAKE, "the peer sent " + what);
    }
}
