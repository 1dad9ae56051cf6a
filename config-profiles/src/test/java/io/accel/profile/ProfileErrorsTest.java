// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileErrorsTest {
    private static final String PRESETS = " (presets: latency, throughput, balanced, low-cpu, off)";
    private static final String RULE_FORM =
            "; a rule is ACTION ROLE ADDRESS[/LENGTH]:PORT[-PORT] [tcp|udp] or ACTION ROLE unix:PATH, for"
                    + " example 'kernel server *:22', 'accelerate client 10.0.0.0/8:9092' or 'kernel * unix:/run/*.sock'";

    @TempDir
    private Path directory;

    @Test
    void unknownProfile() {
        assertProblem(
                "latncy", "profile latncy: no such preset, and no file 'latncy'; did you mean 'latency'?" + PRESETS);
        assertProblem("zzz", "profile zzz: no such preset, and no file 'zzz'" + PRESETS);
        assertProblem("", "profile : no name" + PRESETS);
        assertProblem("a\0b", "profile a\0b: neither a preset nor a path: Nul character not allowed");
    }

    @Test
    void unknownProfileOnTheCommandLine() {
        Properties properties = new Properties();
        properties.setProperty("accel.profile", "Latency");
        assertThatThrownBy(() -> Profile.from(properties, Map.of()))
                .isInstanceOf(ProfileException.class)
                .hasMessage("-Daccel.profile=Latency: no such preset, and no file 'Latency'; did you mean 'latency'?"
                        + PRESETS);
    }

    @Test
    void mistakesInTheEnvironment() {
        assertThatThrownBy(() -> Profile.from(new Properties(), Map.of("ACCEL_PROFILE", "latncy")))
                .hasMessage("ACCEL_PROFILE=latncy: no such preset, and no file 'latncy'; did you mean 'latency'?"
                        + PRESETS);
        assertThatThrownBy(() -> Profile.from(new Properties(), Map.of("ACCEL_OPTIONS", "poll.spni=5us")))
                .hasMessage("ACCEL_OPTIONS: poll.spni: unknown key 'poll.spni'; did you mean 'poll.spin'?");
        assertThatThrownBy(() -> Profile.from(new Properties(), Map.of("ACCEL_OPTIONS", "latency")))
                .hasMessageStartingWith("ACCEL_OPTIONS: 'latency' is no setting; expected KEY=VALUE");
        assertThatThrownBy(() -> Profile.from(new Properties(), Map.of("ACCEL_OPTIONS", "metrics=promethius")))
                .hasMessageContaining("'promethius' is neither jmx nor prometheus");
    }

    @Test
    void unreadableFile() throws IOException {
        Path missing = directory.resolve("missing.properties");
        assertProblem(missing.toString(), "profile " + missing + ": no file '" + missing + "'");
        assertProblem(
                directory.toString(), "profile " + directory + ": '" + directory + "' is a directory, not a file");
        Path binary = Files.write(directory.resolve("binary"), new byte[] {'a', '=', (byte) 0xC3, (byte) 0x28});
        assertProblem(binary.toString(), "profile " + binary + ": the file '" + binary + "' is not UTF-8 text");
    }

    @Test
    void unknownKey() throws IOException {
        Path file = write("latncy.properties", "# mine", "", "ring.sise=64KiB");
        assertProblem(file.toString(), file + ":3: unknown key 'ring.sise'; did you mean 'ring.size'?");
    }

    @Test
    void unknownKeyThatIsFarFromAll() throws IOException {
        Path file = write("a.properties", "colour=blue");
        assertProblem(file.toString(), file + ":1: unknown key 'colour'");
    }

    @Test
    void keyWithThePrefixOfTheCommandLine() throws IOException {
        Path file = write("a.properties", "accel.ring.size=64KiB");
        assertProblem(file.toString(), file + ":1: unknown key 'accel.ring.size'; did you mean 'ring.size'?");
    }

    @Test
    void otherSlipsOfKeys() throws IOException {
        Path file = write("a.properties", "incldue=latency", "rules.1=kernel * *:1", "spin=1s");
        assertProblem(
                file.toString(),
                file + ":1: unknown key 'incldue'; did you mean 'include'?",
                file + ":2: unknown key 'rules.1'; did you mean 'rule.1'?",
                file + ":3: unknown key 'spin'; did you mean 'poll.spin'?");
    }

    @Test
    void unknownKeyOnTheCommandLine() {
        assertThatThrownBy(() -> Profile.load("balanced", Map.of("poll.spn", "1s", "profil", "latency")))
                .isInstanceOf(ProfileException.class)
                .hasMessage(String.join(
                        System.lineSeparator(),
                        "-Daccel.poll.spn: unknown key 'poll.spn'; did you mean 'poll.spin'?",
                        "-Daccel.profil: unknown key 'profil'; did you mean 'profile'?"));
    }

    @Test
    void includeOnTheCommandLine() {
        assertThatThrownBy(() -> Profile.load("balanced", Map.of("include", "latency")))
                .hasMessage("-Daccel.include: only a file can include; choose a profile with -Daccel.profile=NAME");
    }

    @Test
    void badValues() throws IOException {
        Path file = write(
                "a.properties",
                "poll.spin=50uss",
                "ring.size=100KiB",
                "fabric.order=shm,rdna",
                "shm.dir=tmp",
                "poll.hot-max=many",
                "connect.probe-timeout=forever",
                "mode=");
        assertProblem(
                file.toString(),
                file + ":1: poll.spin=50uss: unknown unit 'uss'; did you mean 'us'?; allowed: 0 to 1h, or forever"
                        + " (units ns, us, ms, s, min, h)",
                file + ":2: ring.size=100KiB: not a power of two; allowed: a power of two from 16KiB to 64MiB (units B,"
                        + " KiB, MiB, GiB; none means bytes)",
                file + ":3: fabric.order=shm,rdna: unknown word 'rdna'; did you mean 'rdma'?; allowed: one or more of"
                        + " shm, rdma, separated by commas, each once",
                file + ":4: shm.dir=tmp: not absolute; allowed: an absolute path",
                file + ":5: poll.hot-max=many: not a whole number; allowed: a whole number from 1 to 65536, in links",
                file + ":6: connect.probe-timeout=forever: this wait has to end; allowed: 1ms to 1min (units ns, us,"
                        + " ms, s, min, h)",
                file + ":7: mode=: unknown word ''; allowed: accelerate, off");
    }

    @Test
    void badValueOnTheCommandLine() {
        assertThatThrownBy(() -> Profile.load("off", Map.of("poll.yield", "sometimes")))
                .hasMessage("-Daccel.poll.yield: poll.yield=sometimes: unknown word 'sometimes'; allowed: adaptive,"
                        + " always, never");
    }

    @Test
    void badRules() throws IOException {
        Path file = write(
                "a.properties",
                "rule.1=kernal server *:22",
                "rule.2=kernel server",
                "rule.x=kernel server *:22",
                "rule.4=",
                "rule.5=kernel client example.org:80");
        assertProblem(
                file.toString(),
                file + ":1: rule.1=kernal server *:22: unknown action 'kernal'; did you mean 'kernel'? (there is"
                        + " accelerate, kernel, shm, rdma)" + RULE_FORM,
                file + ":2: rule.2=kernel server: 2 words" + RULE_FORM,
                file + ":3: rule.x=kernel server *:22: 'x' is no rule number; allowed: 1 to 999999999, which is the"
                        + " order in which rules are asked",
                file + ":4: rule.4=: empty" + RULE_FORM,
                file + ":5: rule.5=kernel client example.org:80: 'example.org' is no address; allowed: an IPv4 address,"
                        + " an IPv6 address in brackets, or *, but no host name" + RULE_FORM);
    }

    @Test
    void includeCycle() throws IOException {
        Path a = write("a.properties", "include=b.properties");
        Path b = write("b.properties", "# b", "include=a.properties");
        assertProblem(a.toString(), b + ":2: include=a.properties: includes itself: " + a + " -> " + b + " -> " + a);
    }

    @Test
    void includeOfItself() throws IOException {
        Path a = write("a.properties", "include=./a.properties");
        String again = directory.resolve("./a.properties").toString();
        assertProblem(a.toString(), a + ":1: include=./a.properties: includes itself: " + a + " -> " + again);
    }

    @Test
    void includeOfNothing() throws IOException {
        Path a = write("a.properties", "include=latncy");
        Path missing = directory.resolve("latncy");
        assertProblem(
                a.toString(),
                a + ":1: include=latncy: no such preset, and no file '" + missing + "'; did you mean 'latency'?"
                        + PRESETS);
        Path b = write("b.properties", "include=no/such.properties");
        assertProblem(
                b.toString(),
                b + ":1: include=no/such.properties: no file '" + directory.resolve("no/such.properties") + "'");
    }

    @Test
    void includeAfterOtherKeys() throws IOException {
        Path file = write("a.properties", "mode=off", "include=latency");
        assertProblem(
                file.toString(), file + ":2: include has to come before every other key: what follows it overrides it");
    }

    @Test
    void keyTwiceInOneFile() throws IOException {
        Path file = write("a.properties", "mode=off", "", "mode=accelerate");
        assertProblem(file.toString(), file + ":3: 'mode' is already set in line 1");
    }

    @Test
    void malformedEscape() throws IOException {
        Path file = write("a.properties", "shm.dir=C:\\users");
        assertProblem(
                file.toString(), file + ":1: malformed Unicode escape: a \\u is followed by four hexadecimal digits");
    }

    @Test
    void checkFindsEverythingInEveryFile() throws IOException {
        Path base = write("base.properties", "mode=of");
        Path file = write("a.properties", "include=base.properties", "ring.sise=1", "poll.spin=5");
        assertThat(Profiles.check(file))
                .extracting(Problem::origin)
                .containsExactly(
                        new Origin(Origin.Kind.FILE, base.toString(), 1),
                        new Origin(Origin.Kind.FILE, file.toString(), 2),
                        new Origin(Origin.Kind.FILE, file.toString(), 3));
        assertThat(Profiles.check(write("good.properties", "include=latency", "ring.size=64KiB")))
                .isEmpty();
        Path missing = directory.resolve("missing");
        assertThat(Profiles.check(missing))
                .map(Problem::toString)
                .containsExactly(missing + ": no file '" + missing + "'");
    }

    @Test
    void theExceptionListsItsProblems() throws IOException {
        Path file = Files.writeString(directory.resolve("a"), "x=1\ny=2\n", StandardCharsets.UTF_8);
        assertThatThrownBy(() -> Profile.load(file.toString(), Map.of()))
                .isInstanceOfSatisfying(
                        ProfileException.class, e -> assertThat(e.problems()).hasSize(2));
    }

    private Path write(String name, String... lines) throws IOException {
        return Files.write(directory.resolve(name), List.of(lines));
    }

    private static void assertProblem(String nameOrPath, String... messages) {
        assertThatThrownBy(() -> Profile.load(nameOrPath, Map.of()))
                .isInstanceOf(ProfileException.class)
                .hasMessage(String.join(System.lineSeparator(), messages));
    }
}
