// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * Makes the command lines of bench programs: the same JVM, flags and class path for each path, and with acceleration the
 * drop-in jar before the class path and its properties.
 */
public final class JvmCommand {
    private static final String PROVIDER = "io.accel.nio.AccelSelectorProvider";
    private static final String ASYNCHRONOUS = "io.accel.nio.AccelAsynchronousChannelProvider";

    private static final String BENCH_HEAP = "256m";
    private static final String APP_HEAP = "512m";

    private static final String NETTY_JAR = "samples/netty/target/accel-netty-samples.jar";

    /** Warm programs have their links: a run is over before a crowded process has paid for its first one. Young programs do as the profile says. */
    static final List<String> WARM = List.of("-Daccel.handover.after=8/64KiB");

    private final Path accelJar;
    private final List<String> accelOptions;
    private final Place place;
    private final String benchClassPath;

    /**
     * Commands of one place.
     *
     * @param accelJar the drop-in jar; needs to exist only for accelerated commands
     * @param accelOptions further options of JVMs with Accel that are warmed up
     */
    JvmCommand(Path accelJar, Place place, List<String> accelOptions) {
        this.accelJar = accelJar;
        this.place = place;
        this.accelOptions = accelOptions;
        Set<String> entries = new LinkedHashSet<>();
        entries.add(locationOf(JvmCommand.class).toString());
        entries.add(locationOf(Histogram.class).toString());
        benchClassPath = String.join(File.pathSeparator, entries);
    }

    boolean canAccelerate() {
        return Files.isRegularFile(accelJar);
    }

    Path accelJar() {
        return accelJar;
    }

    /** Makes sure that the programs of that kind are there, and Accel if they need its jar. */
    void requireBuilt(Kind kind, boolean accelerated) throws IOException {
        if (kind.programs == Programs.APPS && !Files.isRegularFile(appLibraries(kind))) {
            throw new IOException("there is no " + appLibraries(kind) + "; './accel perf apps' builds it");
        }
        if (kind.isNetty() && !Files.isRegularFile(nettyJar())) {
            throw new IOException("there is no " + nettyJar() + "; './accel perf' builds it");
        }
        if (accelerated && !canAccelerate()) {
            throw new IOException("cannot accelerate, since there is no " + accelJar);
        }
    }

    /** The place where the command has to run. */
    Place place() {
        return place;
    }

    /**
     * The command for {@code program}.
     *
     * @param prefix the words before the command
     * @param options further options of the JVM
     * @param profile null for a JVM without Accel
     */
    List<String> of(List<String> prefix, List<String> options, String program, String profile, List<String> arguments) {
        List<String> all = new ArrayList<>(options);
        if (profile != null) {
            all.addAll(accelOptions);
        }
        return byDefault(prefix, all, program, profile, arguments);
    }

    /** Like {@link #of}, without the options of all JVMs that are warmed up. */
    List<String> byDefault(
            List<String> prefix, List<String> options, String program, String profile, List<String> arguments) {
        List<String> command = java(prefix, BENCH_HEAP);
        command.addAll(options);
        if (profile == null) {
            command.add("-cp");
            command.add(benchClassPath);
        } else {
            command.add("-cp");
            command.add(accelJar + File.pathSeparator + benchClassPath);
            command.add("-Djava.nio.channels.spi.SelectorProvider=" + PROVIDER);
            command.add("-Djava.nio.channels.spi.AsynchronousChannelProvider=" + ASYNCHRONOUS);
            command.add("-Daccel.profile=" + profile);
        }
        command.add(Programs.PLAIN.prefix + program);
        command.addAll(arguments);
        if (place.address() != null) {
            command.add("address=" + place.address());
        }
        return command;
    }

    /**
     * Like {@link #of}, for a program that is measured from its start on: only what it needs is on its class path.
     *
     * @param agent whether it gets Accel by the agent alone, and not by the property
     */
    List<String> ofYoung(
            List<String> prefix, Kind kind, String program, String profile, boolean agent, List<String> arguments) {
        List<String> command = java(prefix, BENCH_HEAP);
        command.addAll(kind.jvmOptions());
        String classPath = kind.isNetty() ? nettyJar().toString() : benchClassPath;
        if (profile != null) {
            if (agent) {
                command.add("-javaagent:" + accelJar);
            } else {
                command.add("-Djava.nio.channels.spi.SelectorProvider=" + PROVIDER);
                classPath = accelJar + File.pathSeparator + classPath;
            }
            command.add("-Daccel.profile=" + profile);
        }
        command.add("-cp");
        command.add(classPath);
        command.add(kind.programs.prefix + program);
        command.addAll(arguments);
        return command;
    }

    /** The beginning of each command. */
    private static List<String> java(List<String> prefix, String heap) {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xms" + heap);
        command.add("-Xmx" + heap);
        return command;
    }

    /** Like {@link #of}, for a Netty program; {@code profile} is null for a transport other than Accel's. */
    List<String> ofNetty(List<String> prefix, String program, String profile, List<String> arguments) {
        List<String> command = java(prefix, BENCH_HEAP);
        // It allocates for one buffer of a hundred, which would hide the transport's allocations.
        command.add("-Dio.netty.leakDetection.level=disabled");
        command.add("-cp");
        command.add(nettyJar().toString());
        if (profile != null) {
            command.add("-Daccel.profile=" + profile);
            command.addAll(accelOptions);
        }
        command.add(Programs.NETTY.prefix + program);
        command.addAll(arguments);
        return command;
    }

    /**
     * Like {@link #of}, for a real program, which gets Accel through the agent. Netty takes epoll if it can; the agent
     * makes it take NIO.
     */
    List<String> ofApp(List<String> prefix, Kind kind, String program, String profile, List<String> arguments)
            throws IOException {
        List<String> command = java(prefix, APP_HEAP);
        if (profile != null) {
            command.add("-javaagent:" + accelJar);
            command.add("-Daccel.profile=" + profile);
            command.addAll(accelOptions);
        }
        command.addAll(kind.jvmOptions());
        Path libraries = appLibraries(kind);
        command.add("-cp");
        command.add(libraries.resolveSibling("classes")
                + File.pathSeparator
                + Files.readString(libraries).strip());
        command.add(Programs.APPS.prefix + program);
        command.addAll(arguments);
        return command;
    }

    /** The directory in which the build puts the Netty programs, with Netty and Accel's transport. */
    Path nettyJar() {
        return built(NETTY_JAR);
    }

    /** The file in which the build lists the places of a real program's libraries and of the code that starts it. */
    Path appLibraries(Kind kind) {
        return built(kind.module() + "/target/libraries");
    }

    /** Like {@link #appLibraries}, for the libraries that all agree on, including the profiler. */
    Path commonLibraries() {
        return built(Kind.APPS + "/target/libraries");
    }

    private static Path built(String name) {
        for (Path above = locationOf(JvmCommand.class); above != null; above = above.getParent()) {
            Path candidate = above.resolve(name);
            if (Files.isRegularFile(candidate)) {
                return candidate;
            }
        }
        return Path.of(name).toAbsolutePath();
    }

    /** The jar or directory that {@code type} was loaded from. */
    public static Path locationOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("cannot tell where " + type + " was loaded from", e);
        }
    }
}
