// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a program loads beyond what it would load without Accel, until it ends after a few connections with an echo each. Loading and linking
 * classes is nearly all that Accel's start takes, and this is exact where times are not.
 */
@Timeout(120)
class StartUpIT {
    /** The packages of which a program with Accel loads nothing that it would not load without. */
    private static final List<String> NOTHING_OF = List.of(
            "java.util.stream.",
            "java.util.logging.",
            "java.util.regex.",
            "java.security.",
            "java.time.",
            "sun.security.jca.");

    /** How often a program is run that a busy machine keeps from its work. */
    private static final int TRIES = 5;

    @TempDir
    private Path dir;

    /**
     * How many more classes may be loaded. The JDK itself needs more for the same in newer releases, and now and then one more or less.
     *
     * @param older up to JDK 17
     * @param newer with newer ones
     */
    private record Budget(int older, int newer) {
        static final Budget BY_PROPERTY = new Budget(68, 73);
        static final Budget BY_SELECTOR = new Budget(108, 116);
        static final Budget OFF = new Budget(46, 51);
        static final Budget BY_AGENT = new Budget(68, 104);
        static final Budget OFF_BY_AGENT = new Budget(44, 78);
        static final Budget OF_SOCKETS = new Budget(232, 250);
        static final Budget OFF_OF_SOCKETS = new Budget(148, 128);
    }

    static Stream<Arguments> programs() {
        return Child.jdks().flatMap(jdk -> Stream.of("1", "4")
                .flatMap(connections -> Stream.of(
                        Arguments.of(jdk, connections, "balanced", Budget.BY_PROPERTY, Budget.BY_AGENT),
                        Arguments.of(jdk, connections, "off", Budget.OFF, Budget.OFF_BY_AGENT))));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void byTheProperty(Path jdk, String connections, String profile, Budget budget, Budget unused) throws Exception {
        checkByProperty(FewEchoes.class, jdk, connections, profile, budget);
    }

    /** The same with a selector, which all of them share. */
    @ParameterizedTest
    @MethodSource("programs")
    void ofSelectors(Path jdk, String connections, String profile, Budget unused, Budget alsoUnused) throws Exception {
        Budget budget = profile.equals("off") ? Budget.OFF : Budget.BY_SELECTOR;
        checkByProperty(FewSelections.class, jdk, connections, profile, budget);
    }

    private void checkByProperty(Class<?> program, Path jdk, String connections, String profile, Budget budget)
            throws Exception {
        Set<String> stock =
                classes(program, jdk, List.of("-cp", Child.testClasses().toString()), connections);
        Set<String> accel = classes(
                program,
                jdk,
                List.of(
                        "-cp",
                        Child.JAR + File.pathSeparator + Child.testClasses(),
                        Child.PROVIDER,
                        "-Daccel.profile=" + profile),
                connections);
        check(jdk, accel, stock, budget);
    }

    /** Beyond what any agent makes the JVM load. */
    @ParameterizedTest
    @MethodSource("programs")
    void byTheAgent(Path jdk, String connections, String profile, Budget unused, Budget budget) throws Exception {
        checkByAgent(FewEchoes.class, jdk, connections, profile, budget);
    }

    /** The same by {@code java.net.Socket}, which the agent alone accelerates. No method handle is made of others, either. */
    @ParameterizedTest
    @MethodSource("programs")
    void ofSockets(Path jdk, String connections, String profile, Budget unused, Budget alsoUnused) throws Exception {
        Budget budget = profile.equals("off") ? Budget.OFF_OF_SOCKETS : Budget.OF_SOCKETS;
        assertThat(checkByAgent(FewSockets.class, jdk, connections, profile, budget))
                .noneMatch(name -> name.startsWith("java.lang.invoke.LambdaForm$BMH"));
    }

    private Set<String> checkByAgent(Class<?> program, Path jdk, String connections, String profile, Budget budget)
            throws Exception {
        Path idle = TestJar.of(
                dir.resolve("idle.jar"), Map.of("Premain-Class", OtherAgent.class.getName()), OtherAgent.class);
        List<String> classPath = List.of("-cp", Child.testClasses().toString());
        Set<String> any = classes(program, jdk, join("-javaagent:" + idle + "=idle", classPath), connections);
        Set<String> accel =
                classes(program, jdk, join("-javaagent:" + Child.JAR + "=profile=" + profile, classPath), connections);
        accel.remove("java.security.AllPermissionCollection"); // the agent's rights under a manager that may come later
        check(jdk, accel, any, budget);
        return accel;
    }

    private static List<String> join(String first, List<String> others) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(others);
        return all;
    }

    private static void check(Path jdk, Set<String> accel, Set<String> stock, Budget budget) throws IOException {
        List<String> beyond = new ArrayList<>(accel);
        beyond.removeAll(stock);
        assertThat(beyond).noneMatch(name -> NOTHING_OF.stream().anyMatch(name::startsWith));
        assertThat(beyond)
                .as("classes made at run time")
                .noneMatch(name -> name.startsWith("io.accel") && name.contains("$$Lambda"));
        boolean isOlder = Files.readString(jdk.resolve("release")).contains("JAVA_VERSION=\"17");
        assertThat(accel.size() - stock.size())
                .as(() -> "classes beyond stock's: " + String.join(" ", beyond))
                .isLessThanOrEqualTo(isOlder ? budget.older() : budget.newer());
    }

    /**
     * The names of the classes that the program loads; those that are made at run time have a number in their names. A program that a busy
     * machine takes more than a second for has begun what can wait until then, and is run again.
     */
    private Set<String> classes(Class<?> program, Path jdk, List<String> options, String connections) throws Exception {
        Path log = Files.createTempFile(dir, "classes", ".log");
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.add("-Xlog:class+load:file=" + log + ":none");
        command.addAll(options);
        command.addAll(List.of(program.getName(), connections));
        for (int left = TRIES; ; left--) {
            try (Child child = Child.start(dir, command)) {
                assertThat(child.status()).as(child.output()).isZero();
                List<String> said = child.linesOfProgram();
                assertThat(said).containsExactly("echoed " + connections);
                boolean isYoung = child.output().lines().count() == said.size(); // it has not logged Accel's start
                if (isYoung || left == 1) {
                    return names(log);
                }
            }
        }
    }

    private static Set<String> names(Path log) throws IOException {
        Set<String> names = new HashSet<>();
        for (String line : Files.readAllLines(log)) {
            names.add(line.split(" ", 2)[0]);
        }
        return names;
    }
}
