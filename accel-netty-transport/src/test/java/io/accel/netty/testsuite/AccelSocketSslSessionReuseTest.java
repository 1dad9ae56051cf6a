// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.handler.ssl.OpenSsl;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketSslSessionReuseTest;
import java.util.Collection;
import java.util.List;

/** Netty's test over Accel. */
class AccelSocketSslSessionReuseTest extends SocketSslSessionReuseTest {
    /** Hides the superclass's method, which takes OpenSSL for granted. */
    public static Collection<Object[]> jdkAndOpenSSL() throws Exception {
        return OpenSsl.isAvailable() ? SocketSslSessionReuseTest.jdkAndOpenSSL() : SocketSslSessionReuseTest.jdkOnly();
    }

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transports.pairs();
    }
}
