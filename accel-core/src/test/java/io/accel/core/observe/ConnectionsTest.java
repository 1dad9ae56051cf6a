// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
    private final Listing listing = Connections.opened(connection);

    @AfterEach
    void forget() {
        listing.closed();
    }

    @Test
    void aConnectionIsListedFromItsOpeningToItsClose() {
        assertThat(Connections.all()).contains(connection);
        listing.established();
        assertThat(Connections.all()).containsOnlyOnce(connection);
        listing.closed();
        assertThat(Connections.all()).doesNotContain(connection);
    }

    /** A handshake may be confirmed after the program has closed: nobody would take the connection off the list again. */
    @Test
    void aConnectionThatHasClosedIsNotListedAgain() {
        listing.closed();
        listing.established();
        assertThat(Connections.all()).doesNotContain(connection);
    }

    @Test
    void aConnectionThatGoesBackToTheKernelIsListedOnce() {
        listing.established();
        listing.wentBack();
        assertThat(Connections.all()).containsOnlyOnce(connection);
        listing.established();
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
        Listing slows = Connections.opened(slow);
        slows.established();
        Background<Figures> sum = Background.start(() -> Connections.totals(PathName.KERNEL));
        try {
            isHeld.await();
            Listing other = Connections.opened(connection);
            while (other.sharesPartWith(slows)) {
                other.closed();
                other = Connections.opened(connection);
            }
            other.established();
            other.closed();
        } finally {
            goesOn.countDown();
        }
        slows.closed();
        assertThat(sum.get(5, TimeUnit.SECONDS).get(Figure.BYTES_IN)).isPositive();
    }

    /** A program that forgets a connection without closing it must not keep its place either. */
    @Test
    void aForgottenConnectionLeavesTheList() {
        Listing forgotten = Connections.opened(new Connection());
        await().until(() -> {
            System.gc();
            Connections.opened(connection).closed();
            return !forgotten.isListed();
        });
    }

    /** The counts of a connection that had a link are kept, once. */
    @Test
    void theCountsOfAClosedConnectionAreKept() {
        listing.established();
        long before = Connections.totals(PathName.KERNEL).get(Figure.BYTES_IN);
        listing.closed();
        listing.closed();
        assertThat(Connections.totals(PathName.KERNEL).get(Figure.BYTES_IN)).isEqualTo(before);
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
