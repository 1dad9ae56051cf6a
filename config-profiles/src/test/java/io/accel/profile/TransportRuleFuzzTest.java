// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** A rule with anything in it: refused by its own exception, or a rule that matches what its own words say. */
class TransportRuleFuzzTest {
    private static final Origin ORIGIN = new Origin(Origin.Kind.FILE, "some.properties", 1);
    private static final int MAPPED_BITS = 96;

    /** The first 16 bytes are an address to ask the rule about, the next two a port, the rest is the rule. */
    @FuzzTest
    void rule(byte[] bytes) throws UnknownHostException {
        if (bytes.length < 18) {
            return;
        }
        TransportRule rule;
        String text = new String(bytes, 18, bytes.length - 18, StandardCharsets.UTF_8);
        try {
            rule = TransportRule.parse(1, text, ORIGIN);
        } catch (BadValueException e) {
            assertThat(e).hasMessageContaining("a rule is ACTION ROLE ADDRESS");
            return;
        }
        InetAddress address = InetAddress.getByAddress(Arrays.copyOf(bytes, bytes[0] % 2 == 0 ? 4 : 16));
        int port = Byte.toUnsignedInt(bytes[16]) << 8 | Byte.toUnsignedInt(bytes[17]);
        String[] words = rule.text().split(" ", -1);
        if (words[2].startsWith("unix:")) {
            assertMatchesOwnPaths(rule, words[1], words[2].substring("unix:".length()));
            return;
        }
        boolean matches = rule.matches(Protocol.TCP, Role.CLIENT, new InetSocketAddress(address, port));
        boolean expected = (words.length < 4 || words[3].equals("tcp"))
                && (words[1].equals("*") || words[1].equals("client"))
                && isWithin(address, port, words[2]);
        assertThat(matches).as("%s matches %s, port %s", rule, address, port).isEqualTo(expected);
    }

    /** A pattern matches the text that it becomes with something in place of its stars and question marks. */
    private static void assertMatchesOwnPaths(TransportRule rule, String role, String pattern) {
        boolean isClients = role.equals("*") || role.equals("client");
        if (pattern.chars().anyMatch(each -> each == 0 || each > Byte.MAX_VALUE)) {
            return; // no path for each locale
        }
        for (String part : new String[] {"", "a", "ab"}) {
            String path = pattern.replace("**", part).replace("*", part).replace("?", "c");
            if (path.startsWith("/") && Path.of(path).toString().equals(path)) {
                assertThat(rule.matches(Role.CLIENT, Path.of(path)))
                        .as("%s matches %s", rule, path)
                        .isEqualTo(isClients);
            }
        }
        assertThat(rule.matches(Protocol.TCP, Role.CLIENT, new InetSocketAddress(1)))
                .as("%s matches an address", rule)
                .isFalse();
    }

    /** The same by other means: numbers instead of bytes. */
    private static boolean isWithin(InetAddress address, int port, String endpoint) throws UnknownHostException {
        int colon = endpoint.lastIndexOf(':');
        String[] ports = endpoint.substring(colon + 1).split("-", -1);
        if (!ports[0].equals("*")
                && (port < Integer.parseInt(ports[0]) || port > Integer.parseInt(ports[ports.length - 1]))) {
            return false;
        }
        String[] block = endpoint.substring(0, colon).split("/", -1);
        if (block[0].equals("*")) {
            return true;
        }
        byte[] first = InetAddress.getByName(block[0]).getAddress();
        int length = block.length == 2 ? Integer.parseInt(block[1]) : first.length * 8;
        if (block.length == 2 && block[0].startsWith("[") && first.length == 4) {
            length -= MAPPED_BITS;
        }
        if (address.isAnyLocalAddress()) {
            return isWithin(new byte[4], first, length) || isWithin(new byte[16], first, length);
        }
        return isWithin(address.getAddress(), first, length);
    }

    private static boolean isWithin(byte[] address, byte[] first, int length) {
        int rest = first.length * 8 - length;
        return address.length == first.length
                && new BigInteger(1, address).shiftRight(rest).equals(new BigInteger(1, first).shiftRight(rest));
    }
}
