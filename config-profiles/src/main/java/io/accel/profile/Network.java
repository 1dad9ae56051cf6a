// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * A block of addresses: IPv4, IPv6, or any. An IPv4 address that is mapped into IPv6 counts as the IPv4 address, on
 * either side. Host names are not accepted: to look one up could block, and tomorrow's answer could differ.
 */
final class Network {
    private static final Network ANY = new Network(new byte[0], 0);
    private static final byte[] NO_IPV4 = new byte[4];
    private static final byte[] NO_IPV6 = new byte[16];
    private static final int MAPPED_BITS = 96;

    /** The block's first address, 4 or 16 bytes; none for any. */
    private final byte[] prefix;

    private final int bits;

    private Network(byte[] prefix, int bits) {
        this.prefix = prefix;
        this.bits = bits;
    }

    /** Reads {@code *}, {@code 10.0.0.0/8} or {@code [2001:db8::]/32}; without a length it is one address. */
    static Network parse(String text) throws BadValueException {
        int slash = text.indexOf('/');
        String host = slash < 0 ? text : text.substring(0, slash);
        if (host.equals("*")) {
            if (slash >= 0) {
                throw new BadValueException("'" + text + "': * is every address and has no prefix length");
            }
            return ANY;
        }
        boolean ipv6 = host.startsWith("[");
        byte[] address = ipv6 ? ipv6(host) : ipv4(host);
        int longest = ipv6 ? 128 : 32;
        int bits = slash < 0 ? longest : length(text.substring(slash + 1), longest);
        if (ipv6 && address.length == 4) {
            if (bits < MAPPED_BITS) {
                throw new BadValueException("'" + text + "': the prefix of an IPv4 address mapped into IPv6 has "
                        + MAPPED_BITS + " to 128 bits");
            }
            bits -= MAPPED_BITS;
        }
        return new Network(address, bits);
    }

    private static int length(String text, int longest) throws BadValueException {
        if (text.matches("[0-9]{1,3}") && Integer.parseInt(text) <= longest) {
            return Integer.parseInt(text);
        }
        throw new BadValueException("'/" + text + "' is no prefix length; allowed: /0 to /" + longest);
    }

    private static byte[] ipv4(String host) throws BadValueException {
        String[] parts = host.split("\\.", -1);
        byte[] address = new byte[4];
        for (int i = 0; i < 4; i++) {
            if (parts.length != 4 || !parts[i].matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(parts[i]) > 255) {
                throw new BadValueException("'" + host + "' is no address; allowed: an IPv4 address, an IPv6 address in"
                        + " brackets, or *, but no host name");
            }
            address[i] = (byte) Integer.parseInt(parts[i]);
        }
        return address;
    }

    private static byte[] ipv6(String host) throws BadValueException {
        // In brackets the JDK takes nothing but a literal, so this asks no name service.
        if (host.matches("\\[[0-9A-Fa-f:.]+]")) {
            try {
                return InetAddress.getByName(host).getAddress();
            } catch (UnknownHostException e) {
                // Both mistakes are reported below.
            }
        }
        throw new BadValueException(
                "'" + host + "' is no IPv6 address; allowed: such as [::1] or [2001:db8::]/32," + " without a zone");
    }

    boolean isAny() {
        return prefix.length == 0;
    }

    boolean contains(InetAddress address) {
        if (isAny()) {
            return true;
        }
        if (address.isAnyLocalAddress()) {
            // One socket bound to the wildcard serves both families, whichever of the two the JDK shows.
            return startsWithPrefix(NO_IPV4) || startsWithPrefix(NO_IPV6);
        }
        return startsWithPrefix(unmapped(address.getAddress()));
    }

    private boolean startsWithPrefix(byte[] address) {
        if (address.length != prefix.length) {
            return false;
        }
        int whole = bits / 8;
        int rest = bits % 8;
        return Arrays.equals(address, 0, whole, prefix, 0, whole)
                && (rest == 0 || (address[whole] ^ prefix[whole]) >> (8 - rest) == 0);
    }

    /** Unmaps an address: the JDK's own factories do so already, but an address can be made by other means. */
    private static byte[] unmapped(byte[] address) {
        if (address.length != 16 || address[10] != -1 || address[11] != -1) {
            return address;
        }
        for (int i = 0; i < 10; i++) {
            if (address[i] != 0) {
                return address;
            }
        }
        return Arrays.copyOfRange(address, 12, 16);
    }
}
