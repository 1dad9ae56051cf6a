// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.daemon.Privileged;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;

/** Tells whether a connection has to go through a SOCKS proxy. The JDK's sockets connect to proxies, and Accel leaves that to them. */
final class Proxies {
    private Proxies() {}

    static boolean isProxied(InetSocketAddress destination) {
        ProxySelector selector = Privileged.get(ProxySelector::getDefault);
        if (selector == null || Privileged.get(() -> hasNone(selector))) {
            return false;
        }
        try {
            URI uri = new URI("socket", null, destination.getHostString(), destination.getPort(), null, null, null);
            return selector.select(uri).stream().anyMatch(proxy -> proxy.type() == Proxy.Type.SOCKS);
        } catch (URISyntaxException | IllegalArgumentException e) {
            return true; // the JDK handles such a name
        }
    }

    /**
     * Whether there is certainly no proxy. The JDK's own selector learns of a SOCKS proxy only from two properties; asking it takes
     * microseconds.
     */
    private static boolean hasNone(ProxySelector selector) {
        return selector.getClass().getModule() == Object.class.getModule()
                && System.getProperty("socksProxyHost") == null
                && !Boolean.getBoolean("java.net.useSystemProxies");
    }
}
