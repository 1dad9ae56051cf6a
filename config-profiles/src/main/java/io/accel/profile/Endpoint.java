// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The addresses and ports that a rule matches: {@code 10.0.0.0/8:9092}, {@code [::1]:*}, {@code *:1024-2047}.
 *
 * @param network the addresses
 * @param firstPort the first port, from 0
 * @param lastPort the last port, inclusive
 */
record Endpoint(Network network, int firstPort, int lastPort) {
    private static final int LAST_PORT = 65535;

    static Endpoint parse(String text) throws BadValueException {
        boolean bracketed = text.startsWith("[");
        if (bracketed && text.indexOf(']') < 0) {
            throw new BadValueException("'" + text + "' lacks the ']' that ends an IPv6 address");
        }
        int colon = text.indexOf(':', bracketed ? text.indexOf(']') : 0);
        if (colon < 0) {
            throw new BadValueException("'" + text + "' has no port; ':*' is any");
        }
        String ports = text.substring(colon + 1);
        if (ports.indexOf(':') >= 0) {
            throw new BadValueException(
                    "'" + text + "' has too many colons; an IPv6 address stands in brackets, as in" + " [::1]:80");
        }
        Network network = Network.parse(text.substring(0, colon));
        if (ports.equals("*")) {
            // A port of 0 belongs to an address that is not bound yet; only "any" can match it.
            return new Endpoint(network, 0, LAST_PORT);
        }
        int dash = ports.indexOf('-');
        int first = port(dash < 0 ? ports : ports.substring(0, dash));
        int last = dash < 0 ? first : port(ports.substring(dash + 1));
        if (last < first) {
            throw new BadValueException("the ports " + ports + " run backwards");
        }
        return new Endpoint(network, first, last);
    }

    private static int port(String text) throws BadValueException {
        if (text.matches("[0-9]{1,9}")) {
            int port = Integer.parseInt(text);
            if (port >= 1 && port <= LAST_PORT) {
                return port;
            }
        }
        throw new BadValueException(
                "'" + text + "' is no port; allowed: 1 to " + LAST_PORT + ", a range such as" + " 1024-2047, or *");
    }

    boolean matches(InetSocketAddress socketAddress) {
        int port = socketAddress.getPort();
        if (port < firstPort || port > lastPort) {
            return false;
        }
        InetAddress address = socketAddress.getAddress();
        return address == null ? network.isAny() : network.contains(address);
    }
}
