// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.core.fabric.Ownership;
import io.accel.core.fabric.OwnershipSecrets;
import java.nio.ByteBuffer;

/** What an RDMA peer writes into the words of the ownership: it says a place that can be, or none. */
class OwnershipCellFuzzTest {
    private final ByteBuffer page = ByteBuffer.allocateDirect(4096);

    @FuzzTest
    void words(byte[] bytes) {
        ByteBuffer said = ByteBuffer.wrap(bytes);
        OwnershipCell cell = new OwnershipCell(page);
        OwnershipCell writer = new OwnershipCell(page);
        while (said.remaining() > OwnershipCell.SIZE) {
            if ((said.get() & 1) == 0) {
                for (int i = 0; i < OwnershipCell.SIZE; i++) {
                    page.put(OwnershipCell.OFFSET + i, said.get()); // as pieces of several writes may lie there
                }
                cell.read();
            } else {
                long place = said.getLong();
                byte[] secret = new byte[OwnershipSecrets.SECRET];
                said.get(secret);
                writer.place(place);
                writer.secret(secret);
                cell.read();
                assertThat(cell.place()).isEqualTo(place + 1 > 0 ? place : Ownership.NOWHERE);
                assertThat(cell.secret()).isEqualTo(secret);
            }
            assertThat(cell.place()).isGreaterThanOrEqualTo(Ownership.NOWHERE);
        }
    }
}
