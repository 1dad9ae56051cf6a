// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** The addresses of Unix-domain channels. */
final class DomainAddresses {
    private DomainAddresses() {}

    /**
     * Returns an address as what it has to be.
     *
     * @param insteadByInternet the channel to use for internet addresses
     * @throws IllegalArgumentException if it is of another type; the message says what to pass
     */
    static UnixDomainSocketAddress check(SocketAddress address, Class<?> insteadByInternet) {
        if (address instanceof UnixDomainSocketAddress unix) {
            return unix;
        }
        String type = address == null ? "null" : address.getClass().getName();
        String remedy = address instanceof InetSocketAddress
                ? "internet addresses are for " + insteadByInternet.getSimpleName()
                : "pass UnixDomainSocketAddress.of(\"" + (address == null ? "PATH" : address) + "\")";
        throw new IllegalArgumentException(
                "a Unix-domain channel takes a java.net.UnixDomainSocketAddress, not " + type + ": " + remedy);
    }
}
