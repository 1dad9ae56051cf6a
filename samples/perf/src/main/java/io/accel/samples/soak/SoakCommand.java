// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import io.accel.samples.perf.AccelJarOption;
import io.accel.samples.perf.End;
import io.accel.samples.perf.FabricOption;
import io.accel.samples.perf.JvmCommand;
import io.accel.samples.perf.Place;
import io.accel.samples.perf.RdmaDevice;
import io.accel.samples.perf.WorkingDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code soak}. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description = {
            "Lets programs talk to each other at random, over channels with selectors, blocking channels and sockets, by TCP"
                    + " and, within this host, by Unix-domain sockets, with every byte checked, connections opened and ended in every way, and some of the programs killed all"
                    + " the time; says what was done, and what was lost. Nothing should be.",
            "Lost is: a wrong byte; a conversation between two programs that live that did not come to its end; memory,"
                    + " descriptors or files that became more; that no connection ever left the kernel; with --devices, that a device or"
                    + " connections did not come back; that it all took nine minutes longer than asked for, or ten in the lab.",
            "In the end there are the figures of those that live throughout: connections, handovers (how often a connection went"
                    + " from the kernel to a faster path), bytes, kills; heap, resident memory, descriptors and mappings of"
                    + " each program at the start and at the end; and what was lost."
        },
        footer = {"", "Exit status: 0, or 1 if something was lost."})
public final class SoakCommand implements Callable<Integer> {
    private static final double LEAST_SECONDS = 5;
    /** The time for programs to start, and work under way to end. */
    private static final Duration AROUND = Duration.ofMinutes(9);

    private static final Duration BOOT = Duration.ofMinutes(1);

    @Spec
    private CommandSpec spec;

    @Mixin
    private AccelJarOption accelJar;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "1",
            description = "For how long, 0.1 at least (default: ${DEFAULT-VALUE}).")
    private double minutes;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "The choices depend on this number alone (default: another one each time, which is said).")
    private Long seed;

    @Option(names = "--kernel", description = "Without Accel, to compare with.")
    private boolean kernel;

    @Option(
            names = "--handover",
            paramLabel = "WHEN",
            defaultValue = "0",
            description =
                    "When connections leave the kernel, as handover.after says: 'breaking' also breaks their links"
                            + " at random, and 'random' moves them back and forth (default: ${DEFAULT-VALUE}).")
    private String handover;

    @Option(
            names = "--devices",
            description =
                    "Also removes the RDMA device of either host and pulls their cable, again and again; in the lab alone, with"
                            + " --fabric rdma.")
    private boolean devices;

    @Mixin
    private FabricOption fabric;

    @Override
    public Integer call() throws IOException, InterruptedException {
        fabric.check();
        if (!(minutes * 60 >= LEAST_SECONDS)) {
            throw new ParameterException(spec.commandLine(), "--minutes must be at least 0.1, not " + minutes);
        }
        if (!kernel && !Files.isRegularFile(accelJar.resolve())) {
            throw new ParameterException(spec.commandLine(), "there is no " + accelJar.resolve());
        }
        if (devices && (kernel || !fabric.isRdma())) {
            throw new ParameterException(spec.commandLine(), "--devices is for --fabric rdma, with Accel");
        }
        long chosen = seed == null ? new SplittableRandom().nextLong() : seed;
        if (!fabric.isRdma()) {
            return soak(Place.here(), kernel ? Soak.Over.KERNEL : Soak.Over.SHM, chosen);
        }
        Optional<RdmaDevice> device = fabric.device();
        if (device.isEmpty()) {
            return fabric.runInLab(
                    argumentsInLab(chosen), Map.of(), time().plus(AROUND).plus(BOOT));
        }
        Place place = fabric.place(device.get());
        if (devices && !DeviceFaults.arePossible(place)) {
            throw new ParameterException(
                    spec.commandLine(), "--devices would remove this host's devices: it is for the lab alone");
        }
        return soak(place, kernel ? Soak.Over.KERNEL : Soak.Over.RDMA, chosen);
    }

    private int soak(Place place, Soak.Over over, long chosen) throws IOException, InterruptedException {
        boolean hasSockets = over != Soak.Over.RDMA; // which carries no Unix-domain streams
        Limit limit = new Limit(time().plus(AROUND), SoakCommand::giveUp);
        try (WorkingDirectory shared = WorkingDirectory.createInMemory("accel-soak-");
                WorkingDirectory sockets = hasSockets ? WorkingDirectory.createInMemory("accel-soak-sockets-") : null;
                Soak soak = new Soak(
                        end -> jvm(end, place, shared.path(), over),
                        place,
                        shared.path(),
                        sockets == null ? null : sockets.path(),
                        over,
                        devices,
                        chosen,
                        SoakCommand::say)) {
            System.out.println("Soaking for " + minutes + " minutes over "
                    + over.name().toLowerCase(Locale.ROOT) + " in " + shared.path() + "; again by --seed " + chosen);
            if (place.isFar(End.SERVER)) {
                System.out.println("The servers run on another host, at " + place.address() + '.');
            }
            List<String> lost = soak.run(time());
            lost.forEach(what -> System.err.println("LOST " + what));
            System.out.println("lost: " + lost.size());
            return lost.isEmpty() ? 0 : 1;
        } finally {
            Thread unused = limit.done();
        }
    }

    private static void giveUp(String why) {
        System.err.println("LOST " + why);
        System.exit(1); // which ends the programs
    }

    private Duration time() {
        return Duration.ofMillis(Math.round(minutes * 60_000));
    }

    private List<String> argumentsInLab(long chosen) {
        List<String> arguments = new ArrayList<>(List.of("soak", "--fabric", fabric.label()));
        arguments.addAll(List.of("--minutes", Double.toString(minutes), "--seed", Long.toString(chosen)));
        arguments.addAll(List.of("--accel-jar", accelJar.resolve().toString()));
        arguments.addAll(List.of("--handover", handover));
        if (kernel) {
            arguments.add("--kernel");
        }
        if (devices) {
            arguments.add("--devices");
        }
        return arguments;
    }

    private static void say(String line) {
        System.out.println(line);
    }

    private List<String> jvm(End end, Place place, Path shared, Soak.Over over) {
        // One arena for all threads. glibc makes others for threads that allocate at the same time, eight for each
        // processor at most, and each keeps the most that it ever had: for hours that looks like a leak, and hides one.
        List<String> command = new ArrayList<>(List.of("env", "MALLOC_ARENA_MAX=1"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // All of the heap from the start, so that only other memory makes the resident size grow.
        command.addAll(List.of("-Xms160m", "-Xmx160m", "-XX:+AlwaysPreTouch", "-XX:+ExitOnOutOfMemoryError"));
        command.add("-XX:-CreateCoredumpOnCrash");
        if (over != Soak.Over.KERNEL) {
            command.add("-javaagent:" + accelJar.resolve());
            if (!place.isFar(end)) {
                command.add("-Daccel.shm.dir=" + shared);
            }
            if (over == Soak.Over.RDMA) {
                command.add("-Daccel.fabric.order=rdma");
            }
            // Short connections have to move, too.
            command.add("-Daccel.handover.after=" + handover);
            // With this the programs count their handovers.
            command.add("-Daccel.metrics=jmx");
            // A machine that is too busy to answer soon must not put connections on the kernel's path, which would be a
            // loss.
            command.add("-Daccel.connect.probe-timeout=10s");
            command.add("-Daccel.handshake.timeout=20s");
        }
        command.addAll(List.of("-cp", JvmCommand.locationOf(SoakCommand.class).toString()));
        return command;
    }
}
