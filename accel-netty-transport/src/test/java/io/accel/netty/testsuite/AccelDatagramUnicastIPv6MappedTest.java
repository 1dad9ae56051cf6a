// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.DatagramUnicastIPv6MappedTest;
import java.util.List;

/** Netty's test over Accel. */
class AccelDatagramUnicastIPv6MappedTest extends DatagramUnicastIPv6MappedTest {
    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
        return Transports.datagramPairs(socketInternetProtocalFamily());
    }
}
