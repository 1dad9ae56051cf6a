// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * How clients reach the listeners of a test: directly, or, in a run between two hosts, through a relay on the other host, so that
 * each connection leaves this host and another comes back.
 */
public interface Route {
    /** The route of this JVM: through the relay that the system property {@code contract.relay} names (host:port), if any. */
    static Route current() {
        return Holder.CURRENT;
    }

    /** The address that a client connects to for a listener of this host. */
    InetSocketAddress to(InetSocketAddress listener) throws IOException;

    /** The real address of a client whose address at the accepting end is this. */
    InetSocketAddress clientOf(InetSocketAddress seen) throws IOException;

    /** An address on which nothing listens until the test is over, or null where this host has to provide one. */
    InetSocketAddress toNobody() throws IOException;

    /** A listener was closed: clients that connect to it are refused from now on. */
    void closed(InetSocketAddress listener) throws IOException;

    /** A test is over. */
    void endTest() throws IOException;

    /** How long a connection must take no byte, in milliseconds, to count as full. */
    int quietMillis();

    /** Made when it is first asked for. */
    final class Holder {
        private static final Route CURRENT = make();

        private Holder() {}

        private static Route make() {
            String relay = System.getProperty("contract.relay");
            return relay == null ? new Direct() : RelayRoute.open(relay);
        }
    }

    /** Clients and listeners on one host. */
    final class Direct implements Route {
        @Override
        public InetSocketAddress to(InetSocketAddress listener) {
            return listener;
        }

        @Override
        public InetSocketAddress clientOf(InetSocketAddress seen) {
            return seen;
        }

        @Override
        public InetSocketAddress toNobody() {
            return null;
        }

        @Override
        public void closed(InetSocketAddress listener) {}

        @Override
        public void endTest() {}

        @Override
        public int quietMillis() {
            return 150; // longer than a link may be full before the kernel takes more
        }
    }
}
