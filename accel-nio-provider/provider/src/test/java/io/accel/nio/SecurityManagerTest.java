// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.testing.AccelOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A program with few rights, in a JVM with a security manager: Accel's own actions need only Accel's rights. */
@EnabledOnOs(OS.LINUX)
@EnabledForJreRange(max = JRE.JAVA_23)
@Timeout(140)
class SecurityManagerTest {
    private static final int LARGEST = 256 * 1024;
    private static final Pattern DATAGRAMS_LEFT = Pattern.compile("datagrams .* by shm");

    @TempDir
    private Path dir;

    @Test
    void aProgramWithFewRightsIsAccelerated() throws Exception {
        String output = run(policy("permission java.security.AllPermission;"), LARGEST);
        assertThat(output)
                .contains("read 3", "echoed 3", "datagrams 500")
                .containsPattern("elsewhere access denied .*127.0.0.2:9.*connect")
                .contains("all came")
                .containsPattern("connected .* by shm")
                .containsPattern(DATAGRAMS_LEFT);
    }

    /** Accel itself may do little more than reach the JDK's channels: no threads, no hooks, no shared memory. */
    @Test
    void whatAccelMayNotDoIsTheKernels() throws Exception {
        String output = run(
                policy("permission java.lang.RuntimePermission \"accessClassInPackage.*\";"
                        + " permission java.lang.RuntimePermission \"accessDeclaredMembers\";"
                        + " permission java.lang.RuntimePermission \"reflectionFactoryAccess\";"
                        + " permission java.lang.RuntimePermission \"selectorProvider\";"
                        + " permission java.io.FilePermission \"<<ALL FILES>>\", \"read\";"
                        + " permission java.lang.reflect.ReflectPermission \"suppressAccessChecks\";"
                        + " permission java.util.PropertyPermission \"*\", \"read,write\";"
                        + " permission java.lang.RuntimePermission \"loggerFinder\";"
                        + " permission java.net.SocketPermission \"127.0.0.1:*\", \"accept,connect,listen,resolve\";"),
                0);
        assertThat(output)
                .contains("read 3", "echoed 3", "datagrams 500", "all came", "elsewhere access denied")
                .doesNotContain("by shm");
    }

    private String policy(String ofAccel) {
        StringBuilder policy = new StringBuilder();
        for (String entry : classPath()) {
            if (!entry.equals(ownClasses())) {
                policy.append("grant codeBase \"")
                        .append(Path.of(entry).toUri())
                        .append("\" { ");
                policy.append(ofAccel).append(" };\n");
            }
        }
        return policy.append("grant codeBase \"")
                .append(Path.of(ownClasses()).toUri())
                .append("\" {\n")
                .append(
                        "permission java.net.SocketPermission \"127.0.0.1:*\", \"accept,connect,listen,resolve\";\n};\n")
                .toString();
    }

    private static List<String> classPath() {
        return List.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                .split(File.pathSeparator, -1));
    }

    private static String ownClasses() {
        return Path.of(SecurityManagerTest.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
    }

    /**
     * Tells the program to go on when its datagrams have another path, and when it maps a connection's file with rings of that
     * size, if it has to do so at all.
     */
    private String run(String policy, int ring) throws IOException, InterruptedException {
        Path file = Files.writeString(dir.resolve("policy"), policy);
        Path log = dir.resolve("log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(List.of("-Djava.security.manager", "-Djava.security.policy==" + file));
        command.add("-Djava.nio.channels.spi.SelectorProvider=" + AccelSelectorProvider.class.getName());
        command.add("-Daccel.log.connections=true");
        command.addAll(AccelOptions.atOnceIn(Files.createDirectory(dir.resolve("shm"))));
        command.addAll(List.of("-Daccel.ring.initial=16KiB", "-Daccel.ring.size=" + LARGEST + "B"));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath())));
        command.add(SecurityManagerProbe.class.getName());
        Process child = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            await().atMost(40, TimeUnit.SECONDS).until(() -> !child.isAlive() || exchanged(log, ring > 0));
            child.getOutputStream().write('\n');
            child.getOutputStream().flush();
            await().atMost(40, TimeUnit.SECONDS)
                    .until(() -> !child.isAlive()
                            || (Files.readString(log).contains("filling") && largestFile(child.pid()) >= 2L * ring));
            child.getOutputStream().write('\n');
            child.getOutputStream().close();
            assertThat(child.waitFor(45, TimeUnit.SECONDS)).as("ends").isTrue();
            String output = Files.readString(log);
            assertThat(child.exitValue()).as(output).isZero();
            return output;
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    /** Whether it has exchanged its datagrams, and has found the path that it looked for meanwhile. */
    private static boolean exchanged(Path log, boolean accelerated) throws IOException {
        String said = Files.readString(log);
        return said.contains("datagrams 500")
                && (!accelerated || DATAGRAMS_LEFT.matcher(said).find());
    }

    private long largestFile(long pid) throws IOException {
        long largest = 0;
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
            if (line.contains(dir + "/shm/")) {
                String[] bounds = line.split("[- ]", 3);
                largest = Math.max(largest, Long.parseLong(bounds[1], 16) - Long.parseLong(bounds[0], 16));
            }
        }
        return largest;
    }
}
