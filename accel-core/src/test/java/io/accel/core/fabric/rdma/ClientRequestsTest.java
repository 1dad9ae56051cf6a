// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However many clients ask at once, a turn of the RDMA thread is short. */
@Timeout(10)
class ClientRequestsTest {
    private final List<Object> done = new ArrayList<>();
    private long now = Long.MAX_VALUE - 10;
    private final ClientRequests requests = new ClientRequests(() -> now);

    private void ask(Object client, long nanos) {
        requests.add(client, () -> {
            now += nanos; // past the greatest number, as System.nanoTime may go
            done.add(client);
        });
    }

    @Test
    void aTurnEndsWhenItsTimeIsOver() {
        long third = ClientRequests.TURN_NANOS / 3 + 1;
        for (int client = 0; client < 8; client++) {
            ask(client, third);
        }
        assertThat(requests.doSome()).isTrue();
        assertThat(done).containsExactly(0, 1, 2);
        assertThat(requests.doSome()).isTrue();
        assertThat(requests.doSome()).isFalse();
        assertThat(done).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void aTurnDoesOnePieceHoweverLongThatTakes() {
        ask("long", 100 * ClientRequests.TURN_NANOS);
        ask("next", 0);
        assertThat(requests.doSome()).isTrue();
        assertThat(done).containsExactly("long");
        assertThat(requests.isEmpty()).isFalse();
        assertThat(requests.doSome()).isFalse();
        assertThat(requests.isEmpty()).isTrue();
    }

    @Test
    void aClientOfWhichThereIsNewsComesFirst() {
        ask("first", 0);
        ask("second", 0);
        requests.hurry("second");
        requests.hurry("stranger");
        assertThat(done).containsExactly("second");
        assertThat(requests.doSome()).isFalse();
        assertThat(done).containsExactly("second", "first");
    }

    @Test
    void workThatComesFromWorkIsDoneInItsTurn() {
        requests.add("asks again", () -> ask("asks again", 0));
        assertThat(requests.doSome()).isFalse();
        assertThat(done).containsExactly("asks again");
    }
}
