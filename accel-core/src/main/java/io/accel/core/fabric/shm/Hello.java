package io.accel.core.fabric.shm;

import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The client's first message on the rendezvous socket, and the listener's answer to it.
 *
 * <pre>
 *   hello    magic 8, version 4, length of the rest 4, nonce 8, ring size 4,
 *            source address (1 length, bytes, 2 port), destination address (the same), file name (1 length, ASCII)
 *   answer   magic 8, version 4, status 4 (0 accepted, else a {@link FallbackReason#code()})
 *   confirm  1 byte, from the client: it has the answer and uses the link
 * </pre>
 *
 * Big-endian. The first 16 bytes of either are the same in all versions, so that versions can refuse each other.
 *
 * @param nonce stands in the file's header, too, so that a file is taken only by whom it was made for
 * @param ringSize of either ring
 * @param source the client's address as the server's program is to see it
 * @param destination the address that the client connects to
 * @param file the shared file's name within the rendezvous directory
 */
record Hello(long nonce, int ringSize, InetSocketAddress source, InetSocketAddress destination, String file) {
    static final int HEAD = 16;
    static final int MAX = 256;
    static final int ANSWER = 16;
    static final byte CONFIRM = (byte) 0xAC;

    /** What a shared file's name begins with; the nonce follows. */
    static final String FILE_PREFIX = "ring-";

    ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(MAX);
        bytes.putLong(ShmLayout.MAGIC).putInt(ShmLayout.VERSION).putInt(0);
        bytes.putLong(nonce).putInt(ringSize);
        putAddress(bytes, source);
        putAddress(bytes, destination);
        byte[] name = file.getBytes(StandardCharsets.US_ASCII);
        bytes.put((byte) name.length).put(name);
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

    /** Checks the first 16 bytes; the length of what follows. */
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

    /** Reads what follows the first 16 bytes. */
    static Hello decode(ByteBuffer bytes) throws FallbackException {
        try {
            long nonce = bytes.getLong();
            int ringSize = bytes.getInt();
            InetSocketAddress source = getAddress(bytes);
            InetSocketAddress destination = getAddress(bytes);
            byte[] name = new byte[Byte.toUnsignedInt(bytes.get())];
            bytes.get(name);
            String file = new String(name, StandardCharsets.US_ASCII);
            if (!ShmLayout.isRingSize(ringSize)) {
                throw bad("a ring of " + ringSize + " bytes");
            }
            // A refused file is deleted, so it must be a client's: neither elsewhere nor the rendezvous socket itself.
            if (!file.matches(FILE_PREFIX + "[0-9a-f]{1,16}") || bytes.hasRemaining()) {
                throw bad("a malformed file name");
            }
            return new Hello(nonce, ringSize, source, destination, file);
        } catch (java.nio.BufferUnderflowException | UnknownHostException e) {
            throw bad("a hello that ends too early");
        }
    }

    private static void checkMagic(ByteBuffer bytes) throws FallbackException {
        if (bytes.getLong(0) != ShmLayout.MAGIC) {
            throw bad("what is not an Accel handshake");
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

    private static FallbackException bad(String what) {
        return new FallbackException(FallbackReason.BAD_HANDSHAKE, "the peer sent " + what);
    }
}
