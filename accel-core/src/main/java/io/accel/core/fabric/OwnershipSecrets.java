// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The secrets of one link's {@link Ownership} at one end. Both ends have told each other random numbers over the link, its <em>key</em>;
 * the record of either end is a digest of the key and of the end that sends it, and a secret of that end.
 *
 * <pre>
 *   digest 16, secret 16
 * </pre>
 *
 * A digest begins with a byte other than 0, which announces a switch, and may come in the place of a record.
 *
 * <p>Immutable.
 */
public final class OwnershipSecrets {
    /** Bytes of a record. */
    public static final int RECORD = 32;

    /** Bytes of the secret in a record, which the receiver returns. */
    public static final int SECRET = 16;

    private static final int DIGEST = RECORD - SECRET;
    private static final int TAG = 0x74_61_67_00;
    private static final int PROOF = 0x70_72_66_00;

    private final byte[] record;
    private final byte[] secret;
    private final byte[] peers;

    /**
     * Makes one end's secrets.
     *
     * @param key the random numbers of both ends
     * @param isClient whether this end has connected
     */
    public OwnershipSecrets(byte[] key, boolean isClient) {
        this.secret = new byte[SECRET];
        Randomness.SOURCE.nextBytes(secret);
        this.record = ByteBuffer.allocate(RECORD)
                .put(proof(key, isClient))
                .put(secret)
                .array();
        this.peers = proof(key, !isClient);
    }

    private static byte[] proof(byte[] key, boolean ofClient) {
        byte[] proof = Arrays.copyOf(digest(PROOF, key, ofClient ? 1 : 0), DIGEST);
        proof[0] |= 1;
        return proof;
    }

    /** A random number that nobody can guess. */
    public static long random() {
        return Randomness.SOURCE.nextLong();
    }

    /**
     * A digest of sums of the bytes that a connection has carried. Its reader has the same sums, or has another connection.
     *
     * @param key the random numbers by which nobody can use the digest again
     * @param words the sums
     */
    public static long tag(byte[] key, int... words) {
        return ByteBuffer.wrap(digest(TAG, key, words)).getLong();
    }

    private static byte[] digest(int purpose, byte[] key, int... words) {
        ByteBuffer all = ByteBuffer.allocate(Integer.BYTES * (1 + words.length) + key.length)
                .putInt(purpose)
                .put(key);
        for (int word : words) {
            all.putInt(word);
        }
        try {
            return MessageDigest.getInstance("SHA-256").digest(all.array());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** This end's record, as it is sent. */
    public ByteBuffer record() {
        return ByteBuffer.wrap(record.clone());
    }

    /**
     * Whether bytes are the peer's record, or its beginning. Takes as long whatever the bytes are.
     *
     * @param bytes the bytes, from the buffer's position on
     */
    public boolean mayBePeers(ByteBuffer bytes) {
        byte[] head = new byte[Math.min(DIGEST, bytes.remaining())];
        bytes.get(bytes.position(), head);
        return MessageDigest.isEqual(head, Arrays.copyOf(peers, head.length));
    }

    /**
     * The secret in the peer's record.
     *
     * @param record the record, from the buffer's position on
     */
    public static byte[] secretIn(ByteBuffer record) {
        byte[] found = new byte[SECRET];
        record.get(record.position() + DIGEST, found);
        return found;
    }

    /**
     * Whether the peer has returned this end's secret. Takes as long whatever it has returned.
     *
     * @param returned what it has returned
     */
    public boolean isReturned(byte[] returned) {
        return MessageDigest.isEqual(secret, returned);
    }

    /** Made when the first link needs it, by a thread that no program waits for. */
    private static final class Randomness {
        static final SecureRandom SOURCE = new SecureRandom();
    }
}
