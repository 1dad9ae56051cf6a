// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Bytes of the connection where a record may stand: only the peer's record is taken for one, and only its beginning may be. */
class OwnershipRecordFuzzTest {
    private static final int DIGEST = OwnershipSecrets.RECORD - OwnershipSecrets.SECRET;

    private final OwnershipSecrets own = new OwnershipSecrets(new byte[] {5}, false);
    private final byte[] digest =
            Arrays.copyOf(new OwnershipSecrets(new byte[] {5}, true).record().array(), DIGEST);

    /** The first byte says how much of the real digest comes before the rest. */
    @FuzzTest
    void bytes(byte[] bytes) {
        if (bytes.length == 0) {
            return;
        }
        int real = (bytes[0] & 0xff) % (DIGEST + 1);
        ByteBuffer came = ByteBuffer.allocate(real + bytes.length - 1)
                .put(digest, 0, real)
                .put(bytes, 1, bytes.length - 1)
                .flip();
        int position = came.position();
        int compared = Math.min(DIGEST, came.remaining());
        boolean isPeers = Arrays.equals(came.array(), 0, compared, digest, 0, compared);
        assertThat(own.mayBePeers(came)).isEqualTo(isPeers);
        assertThat(came.position()).isEqualTo(position);
        if (came.remaining() >= OwnershipSecrets.RECORD) {
            assertThat(OwnershipSecrets.secretIn(came))
                    .isEqualTo(Arrays.copyOfRange(came.array(), DIGEST, OwnershipSecrets.RECORD));
        }
    }
}
