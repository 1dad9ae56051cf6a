// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.testing.AccelOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program with no more rights than it needs on the plain JDK says the same with the agent, and is accelerated. */
@EnabledOnOs(OS.LINUX)
@EnabledForJreRange(max = JRE.JAVA_23)
@Timeout(150)
class SecurityManagerIT {
    private static final String ALL = "grant codeBase \"%s\" { permission java.security.AllPermission; };";

    @TempDir
    private Path dir;

    /** How many paths of sockets programs were given. */
    private int sockets;

    @ParameterizedTest
    @CsvSource({
        "sockets, 'connected .* -> /127.0.0.4:\\d+ by shm'",
        "channels, 'connected .* -> /127.0.0.4:\\d+ by shm'",
        "asynchronous, 'connected .* -> /127.0.0.1:\\d+ by shm'",
        "datagrams, 'datagrams .* -> /127.0.0.1:\\d+ by shm'",
        "unix, 'connected .* -> /.*/socket\\d by shm'"
    })
    void aProgramWithFewRightsSaysTheSame(String what, String accelerated) throws Exception {
        List<String> expected = saidIn(run(what, List.of(), child -> true));
        assertThat(expected).as("it may do little").anyMatch(line -> line.contains("access denied"));

        // A Unix-domain connection asks for a link when a byte has come, and waits for none.
        Pattern link = Pattern.compile(accelerated);
        String given = run(
                what, agent("connect"), child -> link.matcher(child.output()).find() && !mapsRings(child));
        assertThat(saidIn(given)).as(given).isEqualTo(expected);
        assertThat(given).containsPattern(link);

        // There a link is given back at random, and perhaps not while the program rests.
        boolean mayLackLinks = what.equals("unix"); // whose connections may be over before they have one
        String backAndForth = run(
                what,
                agent("random"),
                child -> mayLackLinks || link.matcher(child.output()).find());
        assertThat(saidIn(backAndForth)).as(backAndForth).isEqualTo(expected);
        assertThat(given + backAndForth).doesNotContain("logging failed");
        if (!mayLackLinks) {
            assertThat(backAndForth).containsPattern(link);
        }
    }

    /** A policy that grants Accel nothing has the program run without it, and a line says so. */
    @Test
    void aPolicyThatGrantsTheJarNothingKeepsAccelAway() throws Exception {
        List<String> plain = saidIn(run("sockets", List.of(), child -> true, policy("")));
        String given = run("sockets", agent("connect"), child -> true, policy(""));
        assertThat(saidIn(given)).as(given).isEqualTo(plain);
        assertThat(given.lines().filter(line -> line.startsWith("accel: ")))
                .as(given)
                .singleElement()
                .asString()
                .startsWith("accel: the security policy does not grant Accel's jar what it needs")
                .endsWith("It needs java.security.AllPermission");
    }

    /** The policy of a manager that a program installs need not know of Accel, whose classes have rights of their own. */
    @ParameterizedTest
    @CsvSource({
        "sockets, 'connected .* -> /127.0.0.4:\\d+ by shm'",
        "channels, 'connected .* -> /127.0.0.4:\\d+ by shm'",
        "asynchronous, 'connected .* -> /127.0.0.1:\\d+ by shm'"
    })
    void aProgramMayInstallAManagerOfItsOwn(String what, String accelerated) throws Exception {
        Class<?> program = LateSecurityManager.class;
        List<String> late = List.of("-Djava.security.manager=allow", "-Djava.security.policy==" + policy(""));
        List<String> expected = saidIn(run(what, late, child -> true, program));
        assertThat(expected).as("it may do little").anyMatch(line -> line.contains("access denied"));
        List<String> options = new ArrayList<>(late);
        options.addAll(agent("connect"));
        String given = run(what, options, child -> true, program);
        assertThat(saidIn(given)).as(given).isEqualTo(expected);
        assertThat(given).containsPattern(accelerated);
    }

    private static List<String> saidIn(String output) {
        return output.lines().filter(line -> line.startsWith(FewRights.SAID)).toList();
    }

    /** Links that are given back while the program rests, and rings that grow before. */
    private List<String> agent(String handover) {
        List<String> options = new ArrayList<>(AccelOptions.PATIENT);
        options.addAll(List.of(
                "-javaagent:" + Child.JAR,
                "-Daccel.log.connections=true",
                "-Daccel.handover.after=" + handover,
                "-Daccel.handover.idle=100ms",
                "-Daccel.datagram.idle=50ms",
                "-Daccel.ring.initial=16KiB",
                "-Daccel.ring.size=64KiB",
                "-Daccel.shm.dir=" + dir));
        return options;
    }

    /**
     * Lets the program go on from each rest.
     *
     * @param rested when it goes on
     */
    private String run(String what, List<String> options, Rested rested) throws Exception {
        return run(what, options, rested, policy(ALL.formatted(Child.JAR.toUri())));
    }

    private String run(String what, List<String> options, Rested rested, Path policy) throws Exception {
        List<String> all = new ArrayList<>(List.of("-Djava.security.manager", "-Djava.security.policy==" + policy));
        all.addAll(options);
        return run(what, all, rested, FewRights.class);
    }

    private String run(String what, List<String> options, Rested rested, Class<?> program) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", Child.testClasses().toString(), program.getName(), what));
        command.add(dir.resolve("socket" + sockets++).toString());
        try (Child child = Child.start(dir, command)) {
            for (int rests = 1; awaitRest(child, rests); rests++) {
                await().atMost(30, TimeUnit.SECONDS).until(() -> rested.isOver(child));
                child.send("");
            }
            assertThat(child.status()).as(child.output()).isZero();
            return child.output();
        }
    }

    /** Waits for so many rests; false if the program ends before. */
    private static boolean awaitRest(Child child, int rests) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> rests(child) >= rests || !isAlive(child));
        return isAlive(child);
    }

    private static long rests(Child child) throws IOException {
        return saidIn(child.output()).stream()
                .filter(line -> line.equals(FewRights.SAID + FewRights.RESTS))
                .count();
    }

    private static boolean isAlive(Child child) {
        return ProcessHandle.of(child.pid()).map(ProcessHandle::isAlive).orElse(false);
    }

    private boolean mapsRings(Child child) throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/" + child.pid() + "/maps"))) {
            return maps.anyMatch(line -> line.contains(" " + dir));
        }
    }

    /** Whether a program has rested long enough. */
    private interface Rested {
        boolean isOver(Child child) throws IOException;
    }

    private Path policy(String ofAccel) throws IOException {
        return Files.writeString(dir.resolve("policy"), """
                %s
                grant codeBase "%s" {
                    permission java.net.SocketPermission "127.0.0.1:*", "accept,connect,listen,resolve";
                    permission java.net.SocketPermission "127.0.0.4:*", "connect";
                    permission java.net.NetPermission "accessUnixDomainSocket";
                };
                """.formatted(
                        ofAccel, Child.testClasses().toUri()));
    }
}
