// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.DatagramUnicastIPv6Test;
import java.util.List;

/** Netty's test over Accel. */
class AccelDatagramUnicastIPv6Test extends DatagramUnicastIPv6Test {
    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
        return Transports.datagramPairs(socketInternetProtocalFamily());
    }
}
