// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class OwnershipSecretsTest {
    private static final byte[] KEY = {1, 2, 3};

    private final OwnershipSecrets client = new OwnershipSecrets(KEY, true);
    private final OwnershipSecrets server = new OwnershipSecrets(KEY, false);

    @Test
    void eachEndKnowsTheOthersRecordAndNotItsOwn() {
        assertThat(server.mayBePeers(client.record())).isTrue();
        assertThat(client.mayBePeers(server.record())).isTrue();
        assertThat(client.mayBePeers(client.record())).isFalse();
        assertThat(new OwnershipSecrets(new byte[] {1, 2, 4}, false).mayBePeers(client.record()))
                .isFalse();
    }

    @Test
    void aRecordMayComeInPieces() {
        ByteBuffer record = client.record();
        for (int n = 0; n <= OwnershipSecrets.RECORD; n++) {
            assertThat(server.mayBePeers(record.duplicate().limit(n))).isTrue();
        }
        record.put(3, (byte) ~record.get(3));
        assertThat(server.mayBePeers(record.duplicate().limit(3))).isTrue();
        assertThat(server.mayBePeers(record.duplicate().limit(4))).isFalse();
    }

    /** The announcement of a switch, a byte 0, may come in the place of a record. */
    @Test
    void aByteThatIs0BeginsNoRecord() {
        for (int i = 0; i < 2_000; i++) {
            byte[] key = {(byte) i, (byte) (i >> 8)};
            OwnershipSecrets end = new OwnershipSecrets(key, false);
            assertThat(end.mayBePeers(ByteBuffer.wrap(new byte[1]))).isFalse();
            assertThat(end.mayBePeers(new OwnershipSecrets(key, true).record())).isTrue();
        }
    }

    @Test
    void onlyWhoHasTheRecordCanReturnItsSecret() {
        byte[] secret = OwnershipSecrets.secretIn(client.record());
        assertThat(client.isReturned(secret)).isTrue();
        assertThat(server.isReturned(secret)).isFalse();
        secret[0]++;
        assertThat(client.isReturned(secret)).isFalse();
        assertThat(new OwnershipSecrets(KEY, true).isReturned(OwnershipSecrets.secretIn(client.record())))
                .as("each link has a secret of its own")
                .isFalse();
    }
}
