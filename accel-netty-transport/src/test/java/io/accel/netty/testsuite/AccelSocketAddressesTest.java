// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.netty.TestedPath;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/** Netty's test over Accel. */
class AccelSocketAddressesTest extends SocketAddressesTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transports.pairs();
    }

    @Override
    protected SocketAddress newSocketAddress() {
        return new InetSocketAddress(TestedPath.ADDRESS, 0);
    }

    @Override
    protected void assertAddress(SocketAddress address) {
        InetSocketAddress internet = (InetSocketAddress) address;
        assertThat(internet.getPort()).isPositive();
        assertThat(internet.getAddress().isAnyLocalAddress()).isFalse();
        assertThat(internet.getAddress()).isEqualTo(TestedPath.ADDRESS);
    }
}
