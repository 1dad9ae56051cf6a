package io.accel.nio.net;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;

/** Whether a connection is to go through a SOCKS proxy, which the JDK's sockets ask, and which Accel leaves to them. */
final class Proxies {
    private Proxies() {}

    static boolean isProxied(InetSocketAddress destination) {
        ProxySelector selector = ProxySelector.getDefault();
        if (selector == null) {
            return false;
        }
        try {
            URI uri = new URI("socket", null, destination.getHostString(), destination.getPort(), null, null, null);
            return selector.select(uri).stream().anyMatch(proxy -> proxy.type() == Proxy.Type.SOCKS);
        } catch (URISyntaxException | IllegalArgumentException e) {
            return true; // the JDK knows what to do with such a name
        }
    }
}
