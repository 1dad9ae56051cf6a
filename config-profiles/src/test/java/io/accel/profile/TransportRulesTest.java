// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransportRulesTest {
    @ParameterizedTest
    @CsvSource({
        // address and length
        "10.0.0.0/8:*,         10.255.255.255, 1,     true",
        "10.0.0.0/8:*,         11.0.0.0,       1,     false",
        "10.0.0.0/8:*,         9.255.255.255,  1,     false",
        "192.168.1.128/25:*,   192.168.1.128,  1,     true",
        "192.168.1.128/25:*,   192.168.1.127,  1,     false",
        "192.168.1.200/25:*,   192.168.1.129,  1,     true",
        "127.0.0.1/31:*,       127.0.0.0,      1,     true",
        "127.0.0.1/31:*,       127.0.0.2,      1,     false",
        "127.0.0.1/32:*,       127.0.0.1,      1,     true",
        "127.0.0.1:*,          127.0.0.2,      1,     false",
        "0.0.0.0/0:*,          203.0.113.9,    1,     true",
        "0.0.0.0/0:*,          2001:db8::1,    1,     false",
        "128.0.0.0/1:*,        255.0.0.1,      1,     true",
        "128.0.0.0/1:*,        127.0.0.1,      1,     false",
        "[::1]/128:*,          ::1,            1,     true",
        "[::1]:*,              ::2,            1,     false",
        "[::]/0:*,             2001:db8::1,    1,     true",
        "[::]/0:*,             127.0.0.1,      1,     false",
        "[2001:db8::]/33:*,    2001:db8:7fff::1, 1,   true",
        "[2001:db8::]/33:*,    2001:db8:8000::1, 1,   false",
        "[::ffff:10.0.0.0]/104:*, 10.1.2.3,    1,     true",
        "[::ffff:10.0.0.0]/104:*, 11.1.2.3,    1,     false",
        "[::ffff:10.0.0.1]:*,  10.0.0.1,       1,     true",
        "*:*,                  127.0.0.1,      0,     true",
        "*:*,                  ::1,            65535, true",
        // ports
        "*:22,                 127.0.0.1,      22,    true",
        "*:22,                 127.0.0.1,      23,    false",
        "*:1024-2047,          127.0.0.1,      1023,  false",
        "*:1024-2047,          127.0.0.1,      1024,  true",
        "*:1024-2047,          127.0.0.1,      2047,  true",
        "*:1024-2047,          127.0.0.1,      2048,  false",
        "[::1]:80-80,          ::1,            80,    true",
        // a wildcard listener serves both families
        "0.0.0.0:22,           0.0.0.0,        22,    true",
        "0.0.0.0:22,           ::,             22,    true",
        "[::]:22,              0.0.0.0,        22,    true",
        "127.0.0.1:22,         ::,             22,    false",
    })
    void matchesAddressesAndPorts(String endpoint, String address, int port, boolean matches)
            throws UnknownHostException {
        TransportRules rules = rules("kernel * " + endpoint);
        Decision decision = rules.decide(Role.CLIENT, new InetSocketAddress(InetAddress.getByName(address), port));
        assertThat(decision.action()).isEqualTo(matches ? Action.KERNEL : Action.ACCELERATE);
    }

    @Test
    void knowsAMappedAddressThatTheJdkLeftMapped() throws UnknownHostException {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 10;
        mapped[15] = 1;
        InetSocketAddress address = new InetSocketAddress(Inet6Address.getByAddress(null, mapped, -1), 80);
        assertThat(address.getAddress()).isInstanceOf(Inet6Address.class);
        assertThat(rules("kernel * 10.0.0.0/8:80").decide(Role.CLIENT, address).action())
                .isEqualTo(Action.KERNEL);
        assertThat(rules("kernel * [::]/0:80").decide(Role.CLIENT, address).action())
                .isEqualTo(Action.ACCELERATE);
    }

    @Test
    void anUnresolvedAddressMatchesOnlyAny() {
        InetSocketAddress address = InetSocketAddress.createUnresolved("example.invalid", 80);
        assertThat(rules("kernel * 0.0.0.0/0:80").decide(Role.CLIENT, address).action())
                .isEqualTo(Action.ACCELERATE);
        assertThat(rules("kernel * *:80").decide(Role.CLIENT, address).action()).isEqualTo(Action.KERNEL);
    }

    @Test
    void looksAtTheRole() {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
        TransportRules rules = rules("kernel server *:80");
        assertThat(rules.decide(Role.SERVER, address).action()).isEqualTo(Action.KERNEL);
        assertThat(rules.decide(Role.CLIENT, address).action()).isEqualTo(Action.ACCELERATE);
    }

    @Test
    void looksAtTheProtocol() {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
        TransportRules udp = rules("kernel * *:80 udp");
        assertThat(udp.decide(Protocol.UDP, Role.CLIENT, address).action()).isEqualTo(Action.KERNEL);
        assertThat(udp.decide(Protocol.TCP, Role.CLIENT, address).action()).isEqualTo(Action.ACCELERATE);
        assertThat(udp.decide(Role.CLIENT, address).action()).isEqualTo(Action.ACCELERATE);
        TransportRules both = rules("kernel * *:80");
        assertThat(both.decide(Protocol.UDP, Role.CLIENT, address).action()).isEqualTo(Action.KERNEL);
        assertThat(both.decide(Role.CLIENT, address).action()).isEqualTo(Action.KERNEL);
    }

    @ParameterizedTest
    @CsvSource({
        "unix:*,                /run/app.sock,        true",
        "unix:**,               /run/app.sock,        true",
        "unix:/run/app.sock,    /run/app.sock,        true",
        "unix:/run/app.sock,    /run/app_sock,        false",
        "unix:/run/app.sock,    /run/app.sock.1,      false",
        "unix:/run/*.sock,      /run/app.sock,        true",
        "unix:/run/*.sock,      /run/.sock,           true",
        "unix:/run/*.sock,      /run/db/app.sock,     false",
        "unix:/run/**.sock,     /run/db/app.sock,     true",
        "unix:/run/**,          /run/db/app.sock,     true",
        "unix:/run/**,          /tmp/run/app.sock,    false",
        "unix:**/app.sock,      /run/db/app.sock,     true",
        "unix:**/app.sock,      /run/db/my-app.sock,  false",
        "unix:/run/*/*.sock,    /run/db/app.sock,     true",
        "unix:/run/*/*.sock,    /run/app.sock,        false",
        "unix:/run/?.sock,      /run/a.sock,          true",
        "unix:/run/?.sock,      /run/.sock,           false",
        "unix:/run/?.sock,      /run/ab.sock,         false",
        "unix:/run?a,           /run/a,               false",
        "unix:/*a*a*a*b,        /aaaaaaaaaaaaaaaaaaa, false",
        // addresses with ports are no paths
        "*:*,                   /run/app.sock,        false",
        "0.0.0.0/0:*,           /run/app.sock,        false",
    })
    void matchesPaths(String address, String path, boolean matches) {
        Decision decision = rules("kernel * " + address).decide(Role.CLIENT, Path.of(path));
        assertThat(decision.action()).isEqualTo(matches ? Action.KERNEL : Action.ACCELERATE);
    }

    @Test
    void pathsMatchNoAddress() {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);
        assertThat(rules("kernel * unix:*").decide(Role.CLIENT, address).action())
                .isEqualTo(Action.ACCELERATE);
        assertThat(rules("kernel * unix:*")
                        .decide(Protocol.UDP, Role.SERVER, address)
                        .action())
                .isEqualTo(Action.ACCELERATE);
    }

    @Test
    void looksAtTheRoleAtAPath() {
        TransportRules rules = rules("kernel server unix:/run/*");
        assertThat(rules.decide(Role.SERVER, Path.of("/run/a")).action()).isEqualTo(Action.KERNEL);
        assertThat(rules.decide(Role.CLIENT, Path.of("/run/a")).action()).isEqualTo(Action.ACCELERATE);
        assertThat(rules.decide(Role.SERVER, Path.of("/run/a")))
                .hasToString("rule.1=kernel server unix:/run/* (-Daccel.rule.1)");
    }

    @Test
    void asksInTheOrderOfNumbersAndTheFirstMatchDecides() {
        Profile profile = Profile.load(
                "balanced",
                Map.of(
                        "rule.10", "kernel * *:*",
                        "rule.9", "shm  client\t127.0.0.0/8:*",
                        "rule.100", "accelerate * *:*"));
        assertThat(profile.rules().list()).extracting(TransportRule::number).containsExactly(9, 10, 100);

        Decision near =
                profile.rules().decide(Role.CLIENT, new InetSocketAddress(InetAddress.getLoopbackAddress(), 80));
        assertThat(near).hasToString("rule.9=shm client 127.0.0.0/8:* (-Daccel.rule.9)");
        assertThat(near.rule())
                .hasValueSatisfying(rule -> assertThat(rule.action()).isEqualTo(Action.SHM));
        assertThat(profile.fabrics(near)).containsExactly(FabricName.SHM);

        Decision far = profile.rules().decide(Role.CLIENT, new InetSocketAddress("10.0.0.1", 80));
        assertThat(far.action()).isEqualTo(Action.KERNEL);
        assertThat(profile.fabrics(far)).isEmpty();
    }

    @Test
    void acceleratesWhatNoRuleMatches() {
        Decision decision =
                Profile.load("balanced", Map.of()).rules().decide(Role.CLIENT, new InetSocketAddress("10.0.0.1", 80));
        assertThat(decision.action()).isEqualTo(Action.ACCELERATE);
        assertThat(decision.rule()).isEmpty();
        assertThat(decision).hasToString("no rule matches");
    }

    @Test
    void anActionNeverAddsAFabric() {
        List<FabricName> both = List.of(FabricName.RDMA, FabricName.SHM);
        assertThat(Action.ACCELERATE.limit(both)).isEqualTo(both);
        assertThat(Action.KERNEL.limit(both)).isEmpty();
        assertThat(Action.SHM.limit(both)).containsExactly(FabricName.SHM);
        assertThat(Action.RDMA.limit(both)).containsExactly(FabricName.RDMA);
        assertThat(Action.RDMA.limit(List.of(FabricName.SHM))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kernel servre *:22 | unknown role 'servre'; did you mean 'server'? (there is client, server, *)",
                "kernel * *:22 tpc | unknown protocol 'tpc'; did you mean 'tcp'? (there is tcp, udp)",
                "kernel * unix:run/app.sock | 'unix:run/app.sock' names no path; allowed: an absolute path, in which * and ? stand"
                        + " for parts of a name and ** for any part of the path, or unix:* for every path",
                "kernel * unix: | 'unix:' names no path; allowed: an absolute path, in which * and ? stand for parts of a name"
                        + " and ** for any part of the path, or unix:* for every path",
                "kernel * unix:/run/app.sock tcp | 'tcp' behind a path; Unix-domain sockets have streams only",
                "kernel * 10.0.0.0/8 | '10.0.0.0/8' has no port; ':*' is any",
                "kernel * [::1] | '[::1]' has no port; ':*' is any",
                "kernel * [::1:80 | '[::1:80' lacks the ']' that ends an IPv6 address",
                "kernel * ::1:80 | '::1:80' has too many colons; an IPv6 address stands in brackets, as in [::1]:80",
                "kernel * *:0 | '0' is no port; allowed: 1 to 65535, a range such as 1024-2047, or *",
                "kernel * *:65536 | '65536' is no port; allowed: 1 to 65535, a range such as 1024-2047, or *",
                "kernel * *: | '' is no port; allowed: 1 to 65535, a range such as 1024-2047, or *",
                "kernel * *:http | 'http' is no port; allowed: 1 to 65535, a range such as 1024-2047, or *",
                "kernel * *:1-2-3 | '2-3' is no port; allowed: 1 to 65535, a range such as 1024-2047, or *",
                "kernel * *:99999999999 | '99999999999' is no port; allowed: 1 to 65535, a range such as 1024-2047, or *",
                "kernel * *:20-10 | the ports 20-10 run backwards",
                "kernel * */8:1 | '*/8': * is every address and has no prefix length",
                "kernel * 10.0.0.0/33:1 | '/33' is no prefix length; allowed: /0 to /32",
                "kernel * 10.0.0.0/:1 | '/' is no prefix length; allowed: /0 to /32",
                "kernel * 10.0.0.0/-1:1 | '/-1' is no prefix length; allowed: /0 to /32",
                "kernel * [::1]/129:1 | '/129' is no prefix length; allowed: /0 to /128",
                "kernel * [::ffff:10.0.0.1]/95:1 | '[::ffff:10.0.0.1]/95': the prefix of an IPv4 address mapped into"
                        + " IPv6 has 96 to 128 bits",
                "kernel * [fe80::1%eth0]:1 | '[fe80::1%eth0]' is no IPv6 address; allowed: such as [::1] or"
                        + " [2001:db8::]/32, without a zone",
                "kernel * [1.2.3.4]:1 | '[1.2.3.4]' is no IPv6 address; allowed: such as [::1] or [2001:db8::]/32,"
                        + " without a zone",
                "kernel * [beef]:1 | '[beef]' is no IPv6 address; allowed: such as [::1] or [2001:db8::]/32, without a"
                        + " zone",
            })
    void refuses(String rule, String reason) {
        assertThatThrownBy(() -> TransportRule.parse(1, rule, Origin.DEFAULT))
                .isInstanceOf(BadValueException.class)
                .hasMessageStartingWith(reason + "; a rule is ACTION ROLE");
    }

    @ParameterizedTest
    @CsvSource({"10.0.0", "10.0.0.0.1", "256.0.0.1", "010.0.0.1", "localhost", "''", "10.0.0.x", "1.2.3.-4"})
    void refusesWhatIsNoLiteralAddress(String host) {
        assertThatThrownBy(() -> TransportRule.parse(1, "kernel * " + host + ":1", Origin.DEFAULT))
                .hasMessageStartingWith("'" + host + "' is no address; allowed: an IPv4 address, an IPv6 address in"
                        + " brackets, or *, but no host name; a rule is");
    }

    @ParameterizedTest
    @CsvSource({"0", "01", "-1", "x", "''", "1000000000", "1.5"})
    void refusesRuleNumbers(String number) {
        assertThatThrownBy(() -> TransportRule.number(number))
                .isInstanceOf(BadValueException.class)
                .hasMessageStartingWith("'" + number + "' is no rule number; allowed: 1 to 999999999");
    }

    private static TransportRules rules(String rule) {
        return Profile.load("balanced", Map.of("rule.1", rule)).rules();
    }
}
