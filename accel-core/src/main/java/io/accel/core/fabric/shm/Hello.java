// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.FallbackException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The client's first message on the rendezvous socket, and what follows it.
 *
 * <pre>
 *   hello    magic 8, version 4, length of the rest 4, nonce 8, ring size 4,
 *            source address (1 length, bytes, 2 port), destination address (the same),
 *            network namespace (1 length, bytes), bytes sent 2, received 2, up to {@link Beginnings#LIMIT} of either
 *   answers  magic 8, version 4, status 4: {@link #COUNT} if the connection has no addresses, and the client sends {@link #COUNTS}
 *            bytes, {@link #counts}; if the listener is in another namespace, and has the connection,
 *            {@link #challenge}, and the client sends {@link #SUMS} bytes; {@link #PENDING} as long as the program has not accepted the connection;
 *            {@link #GO}, or {@link #go} with larger rings, and the client makes the file and sends {@link #MADE};
 *            {@link #DONE}, or a {@link FallbackReason#code()}
 * </pre>
 *
 * Numbers are big-endian. The first 16 bytes of either are the same in all versions, so that versions can refuse each
 * other. The client confirms over the link itself that it has it: {@link io.accel.core.fabric.Link#ATTACHED}.
 *
 * @param nonce names the file, and stands in its header, so that only the listener that a file was made for takes it
 * @param ringSize of either ring, as the client asks
 * @param source the client's address of the connection
 * @param destination the listener's address of it, as the client knows it
 * @param namespace the client's network namespace
 * @param sent how many of the first bytes that the client sent it can check
 * @param received how many of the first bytes that the client received it can check
 */
record Hello(
        long nonce,
        int ringSize,
        InetSocketAddress source,
        InetSocketAddress destination,
        String namespace,
        int sent,
        int received) {
    static final int HEAD = 16;
    static final int MAX = 256;
    static final int ANSWER = 16;
    /**
     * The length of the answer to a challenge: the sums of the bytes that the client has sent, and has received, 4
     * bytes each.
     */
    static final int SUMS = 8;
    /** The length of the answer to {@link #COUNT}. */
    static final int COUNTS = 24;
    /** The client has made its file. */
    static final byte MADE = (byte) 0xAC;

    /** Both ends have the link. */
    static final int DONE = 0;
    /** The client may have the link: it makes the file. */
    static final int GO = -1;
    /** There is no answer yet. */
    static final int PENDING = -2;
    /** The listener must find the connection by what it has carried. */
    static final int COUNT = -3;

    /** The six leading bits of a challenge, with which no other status begins; 13 bits for either length follow. */
    private static final int CHALLENGE = 0b110000;

    /** The six leading bits of {@link #go}; the logarithm of the rings' size stands at the end. */
    private static final int GO_LARGER = 0b110001;

    private static final int LOGARITHM_MASK = 31;

    private static final int LENGTH_BITS = 13;
    private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

    /** The beginning of a shared file's name; the nonce follows. */
    static final String FILE_PREFIX = "ring-";

    /** The name of the shared file within the rendezvous directory. */
    String file() {
        return FILE_PREFIX + Long.toHexString(nonce);
    }

    /** The status that asks a client for the sums of this many bytes that it sent, and that it received. */
    static int challenge(int sent, int received) {
        return (CHALLENGE << (2 * LENGTH_BITS)) | (sent << LENGTH_BITS) | received;
    }

    static boolean isChallenge(int status) {
        return status >>> (2 * LENGTH_BITS) == CHALLENGE;
    }

    static int challengedSent(int status) {
        return (status >>> LENGTH_BITS) & LENGTH_MASK;
    }

    static int challengedReceived(int status) {
        return status & LENGTH_MASK;
    }

    /** The status {@link #GO} with rings that are larger than the client has asked for. */
    static int go(int ringSize) {
        return (GO_LARGER << (2 * LENGTH_BITS)) | Integer.numberOfTrailingZeros(ringSize);
    }

    static boolean isGoLarger(int status) {
        return status >>> (2 * LENGTH_BITS) == GO_LARGER;
    }

    static int goRingSize(int status) {
        return 1 << (status & LOGARITHM_MASK);
    }

    /** Returns the same hello with other rings. */
    Hello withRings(int bytes) {
        return new Hello(nonce, bytes, source, destination, namespace, sent, received);
    }

    static ByteBuffer sums(int ofSent, int ofReceived) {
        return ByteBuffer.allocate(SUMS).putInt(ofSent).putInt(ofReceived).flip();
    }

    /** The answer to {@link #COUNT}: when the client connected, and how many bytes it has received, and sent, 8 bytes each. */
    static ByteBuffer counts(long connectedAt, long received, long sent) {
        return ByteBuffer.allocate(COUNTS)
                .putLong(connectedAt)
                .putLong(received)
                .putLong(sent)
                .flip();
    }

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(MAX);
        bytes.putLong(ShmLayout.MAGIC).putInt(ShmLayout.VERSION).putInt(0);
        bytes.putLong(nonce).putInt(ringSize);
        putAddress(bytes, source);
        putAddress(bytes, destination);
        bytes.put((byte) namespace.length()).put(namespace.getBytes(StandardCharsets.US_ASCII));
        bytes.putShort((short) sent).putShort((short) received);
        bytes.putInt(12, bytes.position() - HEAD);
        return bytes.flip();
    }

    static ByteBuffer answer(int status) {
        return ByteBuffer.allocate(ANSWER)
                .putLong(ShmLayout.MAGIC)
                .putInt(ShmLayout.VERSION)
                .putInt(status)
                .flip();
    }

    /** Checks the first 16 bytes and returns the length of the rest. */
    static int checkHead(ByteBuffer bytes) throws FallbackException {
        checkMagic(bytes);
        int length = bytes.getInt(12);
        if (length < 0 || length > MAX - HEAD) {
            throw bad("a hello of " + length + " bytes");
        }
        return length;
    }

    /** Checks an answer and returns its status. */
    static int checkAnswer(ByteBuffer bytes) throws FallbackException {
        checkMagic(bytes);
        return bytes.getInt(12);
    }

    /** Reads the part behind the first 16 bytes. */
    static Hello decode(ByteBuffer bytes) throws FallbackException {
        try {
            long nonce = bytes.getLong();
            int ringSize = bytes.getInt();
            InetSocketAddress source = getAddress(bytes);
            InetSocketAddress destination = getAddress(bytes);
            String namespace = getNamespace(bytes);
            int sent = getCount(bytes);
            int received = getCount(bytes);
            if (!ShmLayout.isRingSize(ringSize)) {
                throw bad("a ring of " + ringSize + " bytes");
            }
            if (bytes.hasRemaining()) {
                throw bad("a hello that is too long");
            }
            return new Hello(nonce, ringSize, source, destination, namespace, sent, received);
        } catch (java.nio.BufferUnderflowException | UnknownHostException e) {
            throw bad("a hello that ends too early");
        }
    }

    private static void checkMagic(ByteBuffer bytes) throws FallbackException {
        if (bytes.getLong(0) != ShmLayout.MAGIC) {
            throw bad("something other than an Accel handshake");
        }
        int version = bytes.getInt(8);
        if (version != ShmLayout.VERSION) {
            throw new FallbackException(
                    FallbackReason.VERSION_MISMATCH,
                    "the peer speaks version " + version + " of the shared-memory protocol, this side version "
                            + ShmLayout.VERSION + "; run the same Accel on both ends");
        }
    }

    private static void putAddress(ByteBuffer bytes, InetSocketAddress address) {
        byte[] raw = address.getAddress().getAddress();
        bytes.put((byte) raw.length).put(raw).putShort((short) address.getPort());
    }

    private static InetSocketAddress getAddress(ByteBuffer bytes) throws UnknownHostException {
        byte[] raw = new byte[bytes.get() == 4 ? 4 : 16];
        bytes.get(raw);
        return new InetSocketAddress(InetAddress.getByAddress(raw), Short.toUnsignedInt(bytes.getShort()));
    }

    private static String getNamespace(ByteBuffer bytes) throws FallbackException {
        byte[] name = new byte[Byte.toUnsignedInt(bytes.get())];
        if (name.length == 0 || name.length > Namespace.LONGEST) {
            throw bad("the name of a network namespace of " + name.length + " bytes");
        }
        bytes.get(name);
        for (byte b : name) {
            if (!Namespace.isNameByte(b)) {
                throw bad("the name of a network namespace with the byte " + b);
            }
        }
        return new String(name, StandardCharsets.US_ASCII);
    }

    private static int getCount(ByteBuffer bytes) throws FallbackException {
        int count = Short.toUnsignedInt(bytes.getShort());
        if (count > Beginnings.LIMIT) {
            throw bad("word of " + count + " first bytes");
        }
        return count;
    }

    private static FallbackException bad(String what) {
        return new FallbackException(FallbackReason.BAD_HANDSHAKE, "the peer sent " + what);
    }
}
