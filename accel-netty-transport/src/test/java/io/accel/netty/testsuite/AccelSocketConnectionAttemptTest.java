// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import java.util.List;

/** Netty's test over Accel, with a silent peer on loopback in place of one on the internet. */
class AccelSocketConnectionAttemptTest extends SocketConnectionAttemptTest {
    private static final List<BootstrapFactory<Bootstrap>> CLIENTS = Transports.clients();

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return CLIENTS;
    }
}
