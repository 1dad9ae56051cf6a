// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.DatagramMulticastTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Netty's test over Accel, in a network of its own. */
class AccelDatagramMulticastTest extends DatagramMulticastTest {
    @Override
    @Test
    public void testMulticast(TestInfo info) throws Throwable {
        if (OwnNetwork.isInside()) {
            super.testMulticast(info);
        } else {
            OwnNetwork.run(getClass());
        }
    }

    @Override
    protected List<BootstrapComboFactory<Bootstrap, Bootstrap>> newFactories() {
        return Transports.datagramPairs(socketInternetProtocalFamily());
    }
}
