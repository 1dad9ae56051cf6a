// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import java.util.Collection;
import java.util.List;

/**
 * Netty's test over Accel. Its 192 combinations of settings take as long as the rest of the suite together, so only
 * {@code -Dsuite.all} tries them all; otherwise each pair of settings is tried.
 */
class AccelSocketSslEchoTest extends SocketSslEchoTest {
    /** Hides Netty's method that gives the test its arguments. */
    public static Collection<Object[]> data() throws Exception {
        Collection<Object[]> all = SocketSslEchoTest.data();
        return Boolean.getBoolean("suite.all") ? all : Pairwise.choose(all);
    }

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transports.pairs();
    }
}
