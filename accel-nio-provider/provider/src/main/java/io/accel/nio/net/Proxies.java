// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.daemon.Privileged;
import java.lang.invoke.MethodType;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Iterator;
import java.util.function.Supplier;

/** Tells whether a connection has to go through a SOCKS proxy. The JDK's sockets connect to proxies, and Accel leaves that to them. */
final class Proxies {
    /** The constructor that the JDK also offers for {@link Proxy#NO_PROXY}, the only proxy for which it asks a factory. */
    private static final MethodType WITH_PROXY = MethodType.methodType(void.class, Proxy.class);

    private static final Search SEARCH = new Search();

    private Proxies() {}

    /** The search for the selector to ask. It is no lambda: a program's first socket would wait for that to be linked. */
    private static final class Search implements Supplier<ProxySelector> {
        @Override
        public ProxySelector get() {
            ProxySelector selector = ProxySelector.getDefault();
            return selector == null || hasNone(selector) ? null : selector;
        }
    }

    /**
     * Whether the socket that is being made on this thread has to ask for a proxy when it connects. The JDK's sockets always ask, unless
     * they are made with {@link Proxy#NO_PROXY}, and that takes microseconds.
     */
    static boolean mayBeUsedByNewSocket() {
        return selector() != null && !isExcluded();
    }

    static boolean isProxied(InetSocketAddress destination) {
        ProxySelector selector = selector();
        if (selector == null) {
            return false;
        }
        try {
            URI uri = new URI("socket", null, destination.getHostString(), destination.getPort(), null, null, null);
            // As in the JDK, the first one decides, and null is like one that is not for sockets.
            Iterator<Proxy> proxies = selector.select(uri).iterator();
            Proxy first = proxies.hasNext() ? proxies.next() : null;
            return first != null && first.type() == Proxy.Type.SOCKS;
        } catch (URISyntaxException | IllegalArgumentException e) {
            return true; // the JDK handles such a name
        }
    }

    /** The selector to ask; null if there is certainly no proxy. */
    private static ProxySelector selector() {
        return Privileged.get(SEARCH);
    }

    /** Whether the socket that is being made on this thread is made with {@link Proxy#NO_PROXY}. */
    private static boolean isExcluded() {
        // JDK 25 tells a constructor's parameters only to those that may know its class.
        return Privileged.get(() -> StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE))
                .walk(frames -> frames.filter(Proxies::isConstructor)
                        .findFirst()
                        .map(frame -> frame.getMethodType().equals(WITH_PROXY))
                        .orElse(false));
    }

    private static boolean isConstructor(StackWalker.StackFrame frame) {
        return frame.getDeclaringClass() == Socket.class
                && frame.getMethodName().equals("<init>");
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
