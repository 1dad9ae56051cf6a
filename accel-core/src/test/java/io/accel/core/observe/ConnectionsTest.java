// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.Background;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The list of connections that statistics and metrics are made from. */
@Timeout(10)
class ConnectionsTest {
    private final Connection connection = new Connection();

    @AfterEach
    void forget() {
        Connections.closed(connection);
    }

    @Test
    void aConnectionIsListedFromItsOpeningToItsClose() {
        Connections.opened(connection);
        assertThat(Connections.all()).contains(connection);
        Connections.established(connection);
        assertThat(Connections.all()).containsOnlyOnce(connection);
        Connections.closed(connection);
        assertThat(Connections.all()).doesNotContain(connection);
    }

    /** A handshake may be confirmed after the program has closed: nobody would take the connection off the list again. */
    @Test
    void aConnectionThatHasClosedIsNotListedAgain() {
        Connections.opened(connection);
        Connections.closed(connection);
        Connections.established(connection);
        assertThat(Connections.all()).doesNotContain(connection);
    }

    @Test
    void aConnectionThatGoesBackToTheKernelIsListedOnce() {
        Connections.opened(connection);
        Connections.established(connection);
        Connections.wentBack(connection);
        assertThat(Connections.all()).containsOnlyOnce(connection);
        Connections.established(connection);
        assertThat(Connections.all()).containsOnlyOnce(connection);
    }

    /** Whoever reads the sums, perhaps slowly and of very many connections, holds up nobody who opens and closes another. */
    @Test
    void aSumHoldsUpOnlyConnectionsOfOnePart() throws Exception {
        CountDownLatch isHeld = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Connection slow = new Connection() {
            @Override
            public void addTo(Figures figures) {
                isHeld.countDown();
                try {
                    goesOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        Connections.opened(slow);
        Connections.established(slow);
        Background<Figures> sum = Background.start(() -> Connections.totals(PathName.KERNEL));
        try {
            isHeld.await();
            Connection other = new Connection();
            while (Connections.place(other) == Connections.place(slow)) {
                other = new Connection();
            }
            Connections.opened(other);
            Connections.established(other);
            Connections.closed(other);
        } finally {
            goesOn.countDown();
        }
        assertThat(sum.get(5, TimeUnit.SECONDS)).isNotNull();
        Connections.closed(slow);
    }

    private static class Connection implements ObservedConnection {
        @Override
        public PathName path() {
            return PathName.KERNEL;
        }

        @Override
        public ConnectionState state() {
            return ConnectionState.ESTABLISHED;
        }

        @Override
        public void addTo(Figures figures) {
            figures.add(Figure.BYTES_IN, 1);
        }

        @Override
        public ConnectionSample sample() {
            throw new UnsupportedOperationException("nobody asks for the figures of this connection");
        }
    }
}
