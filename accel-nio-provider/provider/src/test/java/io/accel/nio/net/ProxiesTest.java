// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections through a SOCKS proxy are not Accel's. */
class ProxiesTest {
    private InetSocketAddress there;
    private ProxySelector before;

    @BeforeEach
    void keep() throws IOException {
        there = new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1}), 80);
        before = ProxySelector.getDefault();
    }

    @AfterEach
    void restore() {
        ProxySelector.setDefault(before);
        System.clearProperty("socksProxyHost");
    }

    @Test
    void withoutAnythingSetNothingIsProxied() {
        assertThat(Proxies.isProxied(there)).isFalse();
        ProxySelector.setDefault(null);
        assertThat(Proxies.isProxied(there)).isFalse();
    }

    @Test
    void thePropertyOfTheJdkIsObeyed() {
        System.setProperty("socksProxyHost", "127.0.0.1");
        assertThat(Proxies.isProxied(there)).isTrue();
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
        assertThat(Proxies.isProxied(here)).as("as the JDK has it").isFalse();
    }

    @Test
    void aSelectorOfTheProgramIsAsked() {
        ProxySelector.setDefault(new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                return uri.getScheme().equals("socket") && uri.getHost().equals("192.0.2.1") && uri.getPort() == 80
                        ? List.of(
                                new Proxy(Proxy.Type.SOCKS, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)))
                        : List.of(Proxy.NO_PROXY);
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException e) {
                throw new AssertionError("nobody connects here", e);
            }
        });
        assertThat(Proxies.isProxied(there)).isTrue();
        assertThat(Proxies.isProxied(new InetSocketAddress(there.getAddress(), 81)))
                .isFalse();
    }
}
