// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import io.accel.testing.AccelOptions;
import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * How to start a program in a JVM of its own: which JDK, class path, provider, options and user.
 *
 * <p>System properties of the test JVM decide, set by the build or the RDMA lab: {@code launch.jdk} (the JDK's home),
 * {@code launch.provider} (the class name of the provider under test), {@code launch.jar} (the drop-in jar) and {@code
 * launch.options} (further options of every JVM, with commas between them). Not safe for use by several threads.
 */
public final class Launch {
    private static final Path JDK = Path.of(System.getProperty("launch.jdk", System.getProperty("java.home")));
    private static final String PROVIDER = System.getProperty("launch.provider", "sun.nio.ch.EPollSelectorProvider");
    private static final String JAR = System.getProperty("launch.jar", "accel.jar");
    private static final List<String> OPTIONS = Pattern.compile(",")
            .splitAsStream(System.getProperty("launch.options", ""))
            .filter(option -> !option.isEmpty())
            .toList();

    private static final List<String> OWN_NETWORK = network("");
    private static final boolean CAN_UNSHARE = canUnshare();

    private static final Duration TRIALS = Duration.ofSeconds(10);

    /** As a container has it: network, mounts and process ids of its own; a script for the shell follows. */
    private static final List<String> CONTAINER =
            List.of("--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c");

    /** The beginning of a line of a JDK's file {@code release}. */
    private static final String VERSION = "JAVA_VERSION=";

    private final String mainClass;
    private final List<String> arguments;
    private final List<String> options = new ArrayList<>();
    private final List<String> prefix = new ArrayList<>();
    private List<Path> classPath = List.of(testClasses());
    private Path jar = Path.of(JAR);
    private boolean accelerated;
    private boolean byAgent;
    /** Null for the usual profile. */
    private String profile;

    private Launch(String mainClass, String... arguments) {
        this.mainClass = mainClass;
        this.arguments = List.of(arguments);
    }

    /** A program without Accel: neither the jar nor the property. */
    public static Launch plain(Class<?> program, String... arguments) {
        return plain(program.getName(), arguments);
    }

    /** A program, named by its class, without Accel. */
    public static Launch plain(String mainClass, String... arguments) {
        return new Launch(mainClass, arguments);
    }

    /** A program on the provider under test. */
    public static Launch accelerated(Class<?> program, String... arguments) {
        return accelerated(program.getName(), arguments);
    }

    /** A program, named by its class, on the provider under test. */
    public static Launch accelerated(String mainClass, String... arguments) {
        Launch launch = new Launch(mainClass, arguments);
        launch.accelerated = true;
        return launch;
    }

    /** Whether the provider under test is Accel's, not the JDK's. */
    public static boolean isAccel() {
        return PROVIDER.startsWith("io.accel.");
    }

    /** The release of Java that the programs run on, such as 17. */
    public static int feature() {
        try {
            return Files.readAllLines(JDK.resolve("release")).stream()
                    .filter(line -> line.startsWith(VERSION))
                    .mapToInt(line -> Runtime.Version.parse(
                                    line.substring(VERSION.length()).replace("\"", ""))
                            .feature())
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException("there is no JDK in " + JDK, e);
        }
    }

    /** The drop-in jar. */
    public static Path dropInJar() {
        return Path.of(JAR);
    }

    /** The directory of the test programs' classes. */
    public static Path testClasses() {
        return Path.of(
                Launch.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    /** Adds a JVM option. */
    public Launch option(String option) {
        options.add(option);
        return this;
    }

    /** Adds an option of Accel's, {@code -Daccel.key=value}, if the program runs on it. */
    public Launch accel(String key, Object value) {
        return accelerated ? option("-Daccel." + key + "=" + value) : this;
    }

    /** Leaves all settings but {@code handover.after} to a profile, if the program runs on Accel. */
    public Launch profile(String name) {
        profile = name;
        return this;
    }

    /** Replaces the class path, which is otherwise the test programs' classes. */
    public Launch classPath(List<Path> entries) {
        classPath = List.copyOf(entries);
        return this;
    }

    /** Adds the whole class path of the tests, third-party libraries included. */
    public Launch testClassPath() {
        List<Path> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            entries.add(Path.of(entry));
        }
        return classPath(entries);
    }

    /** Lets the agent bring the provider under test, if the program runs on it, in place of property and class path. */
    public Launch byAgent() {
        byAgent = true;
        return this;
    }

    /** Uses another copy of the drop-in jar. */
    public Launch jar(Path copy) {
        jar = copy;
        return this;
    }

    /** Runs it as another user, which needs root. */
    public Launch as(String user, String group) {
        return within(List.of("setpriv", "--reuid=" + user, "--regid=" + group, "--clear-groups"));
    }

    /**
     * Runs it in the foreground of a terminal of its own, where its input is typed: {@code \003} is Ctrl-C. The tests may have been
     * started in the background, where programs ignore that unless they are told otherwise.
     */
    public Launch onTerminal() {
        String script = "exec script -qec \"exec env --default-signal=INT ${*@Q}\" /dev/null";
        return within(List.of("bash", "-c", script, "bash"));
    }

    /** Writes all its system calls of these names, with commas between them, to a file. */
    public Launch traced(Path file, String calls) {
        // The tracer is a process beside it, so that killing the program ends the tracer as well.
        return within(List.of(
                "strace", "-D", "-f", "-qq", "-e", "signal=none", "-e", "trace=" + calls, "-o", file.toString()));
    }

    /** Lets it have so many file descriptors. */
    public Launch withDescriptors(int most) {
        return within(List.of("sh", "-c", "ulimit -n " + most + "; exec \"$@\"", "sh"));
    }

    /** Puts it into a control group from its first instruction. */
    public Launch inGroup(MemoryGroup group) {
        return within(group.prefix());
    }

    /**
     * Gives it a network of its own, which is a loopback interface and nothing else; the machine's network where namespaces
     * are not possible.
     */
    public Launch inNetworkOfItsOwn() {
        return CAN_UNSHARE ? within(OWN_NETWORK) : this;
    }

    /** Gives it a network of its own, which is a loopback interface with a second IPv6 address. */
    public Launch inNetworkWith(String address) {
        return within(network(" && ip -6 addr add " + address + "/64 dev lo nodad"));
    }

    /** Gives it a network of its own, which is a loopback interface, and only these ports for clients. */
    public Launch inNetworkWithPorts(int first, int last) {
        return within(network(" && echo '" + first + " " + last + "' > /proc/sys/net/ipv4/ip_local_port_range"));
    }

    private static List<String> network(String more) {
        String script = "ip link set lo up" + more + " && exec \"$@\"";
        return List.of("unshare", "--map-root-user", "--net", "sh", "-c", script, "sh");
    }

    /** Puts it into the network of a process that runs. */
    public Launch inNetworkOf(Child other) {
        String pid = Long.toString(other.pid());
        return CAN_UNSHARE
                ? within(List.of("nsenter", "--target", pid, "--user", "--net", "--preserve-credentials"))
                : this;
    }

    /**
     * Puts it into a container: namespaces of its own for network, mounts and process ids, which go with it. Its network is a loopback
     * interface, until another comes {@linkplain #inContainerBeside beside} it.
     */
    public Launch inContainer() {
        List<String> command = new ArrayList<>(List.of("unshare", "--map-root-user", "--net"));
        command.addAll(CONTAINER);
        command.addAll(List.of("ip link set lo up && exec \"$@\"", "sh"));
        return within(command);
    }

    /** Gives it, in its container, a host name of its own. */
    public Launch named(String host) {
        return within(List.of("unshare", "--uts", "sh", "-c", "hostname \"$0\" && exec \"$@\"", host));
    }

    /**
     * Puts it into a container whose network leads to another container's network and nowhere else.
     *
     * @param other the process in the other container
     * @param otherAddress what the other's end gets, in this network of 256 addresses
     * @param address what its own end gets
     * @param hidden a directory that it sees empty; null for none
     */
    public Launch inContainerBeside(Child other, String otherAddress, String address, Path hidden) {
        String pid = Long.toString(other.pid());
        String wire = "ip link set lo up && ip link add own type veth peer name other netns " + pid
                + " && ip addr add " + address + "/24 dev own && ip link set own up"
                + " && nsenter --target " + pid + " --net sh -c 'ip addr add " + otherAddress
                + "/24 dev other && ip link set other up' && exec \"$@\"";
        String hide = hidden == null ? "" : "mount -t tmpfs tmpfs " + hidden + " && ";
        List<String> command = new ArrayList<>(List.of(
                "nsenter",
                "--target",
                pid,
                "--user",
                "--preserve-credentials",
                "unshare",
                "--net",
                "sh",
                "-c",
                wire,
                "sh"));
        command.add("unshare");
        command.addAll(CONTAINER);
        command.addAll(List.of(hide + "exec \"$@\"", "sh"));
        return within(command);
    }

    /**
     * Gives it, in its container, a root of its own, as an image does. It sees this machine's files there, except for {@code /dev/shm}
     * and {@code /run}, which are its own.
     *
     * @param root an empty directory, which stays empty outside of the container
     * @param shared the directory that it finds as {@code mounted}
     * @param mounted a directory below {@code /run}
     */
    public Launch inRoot(Path root, Path shared, Path mounted) {
        String inside = root + mounted.toString();
        String script = "mount --rbind / " + root + " && mount -t tmpfs tmpfs " + root
                + "/dev/shm && mount -t tmpfs tmpfs "
                + root + "/run && mkdir -p " + inside + " && mount --bind " + shared + " " + inside + " && exec chroot "
                + root + " \"$@\"";
        return within(List.of("sh", "-c", script, "sh"));
    }

    /** Whether this machine lets the tests make containers, and connect them. */
    public static boolean hasContainers() {
        Launch first = plain("none").inContainer();
        try (Child one = Child.start("a trial of a container", new ProcessBuilder(with(first.prefix, "cat")))) {
            Launch second = plain("none").inContainerBeside(one, "10.66.0.1", "10.66.0.2", null);
            long end = System.nanoTime() + TRIALS.toNanos();
            do {
                // The first may still be making its namespaces. It ends if it may not make them.
                try (Child two = Child.start("another", new ProcessBuilder(with(second.prefix, "true")))) {
                    if (two.awaitExit(Duration.ofSeconds(10)) == 0) {
                        return true;
                    }
                }
            } while (one.isAlive() && System.nanoTime() - end < 0);
            return false;
        } catch (UncheckedIOException e) {
            return false; // no such program
        }
    }

    private static List<String> with(List<String> command, String last) {
        List<String> all = new ArrayList<>(command);
        all.add(last);
        return all;
    }

    private Launch within(List<String> command) {
        prefix.addAll(command);
        return this;
    }

    private static boolean canUnshare() {
        List<String> command = new ArrayList<>(OWN_NETWORK);
        command.add("true");
        try (Child trial = Child.start("a trial of network namespaces", new ProcessBuilder(command))) {
            return trial.awaitExit(Duration.ofSeconds(10)) == 0;
        } catch (UncheckedIOException e) {
            return false; // no such program
        }
    }

    /** Starts it; {@code name} is what errors call it. */
    public Child start(String name) {
        List<String> command = new ArrayList<>(prefix);
        command.add(JDK.resolve("bin/java").toString());
        List<String> path = new ArrayList<>();
        if (accelerated) {
            if (byAgent && isAccel()) {
                command.add("-javaagent:" + jar);
            } else {
                path.add(jar.toString());
                command.add("-Djava.nio.channels.spi.SelectorProvider=" + PROVIDER);
            }
            // A machine that is too busy to answer soon must not change the path that the test asserts.
            command.addAll(AccelOptions.PATIENT);
            // Unless the test says when, each connection moves, and in the middle of what its program says.
            command.add("-Daccel.handover.after=0");
            if (profile != null) {
                command.add("-Daccel.profile=" + profile);
            }
            // The tests' directory is removed in the end, with the files that killed programs leave behind.
            command.add("-Daccel.shm.dir=" + SharedDirectory.ofTests());
        }
        classPath.forEach(entry -> path.add(entry.toString()));
        command.add(ChildJvm.SHORT_LIFE);
        command.addAll(List.of("-Xmx512m", "-XX:+ExitOnOutOfMemoryError", "-XX:-CreateCoredumpOnCrash"));
        // A crash report then is part of the output, where the failed assertion shows it.
        command.add("-XX:+ErrorFileToStdout");
        command.addAll(OPTIONS);
        command.addAll(options);
        command.addAll(List.of("-cp", String.join(File.pathSeparator, path), mainClass));
        command.addAll(arguments);
        return Child.start(name, new ProcessBuilder(command));
    }
}
