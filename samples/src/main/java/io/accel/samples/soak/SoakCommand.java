package io.accel.samples.soak;

import io.accel.samples.perf.AccelJarOption;
import io.accel.samples.perf.JvmCommand;
import io.accel.samples.perf.WorkingDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
            "Lets programs talk to each other at random, over channels with selectors, blocking channels and sockets, with"
                    + " every byte checked, connections opened and ended in every way, and some of the programs killed all"
                    + " the time; says what was done, and what was lost. Nothing should be.",
            "Lost is: a wrong byte; a conversation between two programs that live that did not come to its end; memory,"
                    + " descriptors or files that became more; a connection that the kernel saw."
        },
        footer = {"", "Exit status: 0, or 1 if something was lost."})
public final class SoakCommand implements Callable<Integer> {
    private static final double LEAST_SECONDS = 5;

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
            description =
                    "What is chosen depends on this number alone (default: another one each time, which is said).")
    private Long seed;

    @Option(names = "--kernel", description = "Without Accel, to compare with.")
    private boolean kernel;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(minutes * 60 >= LEAST_SECONDS)) {
            throw new ParameterException(spec.commandLine(), "--minutes must be at least 0.1, not " + minutes);
        }
        if (!kernel && !Files.isRegularFile(accelJar.resolve())) {
            throw new ParameterException(spec.commandLine(), "there is no " + accelJar.resolve());
        }
        long chosen = seed == null ? new SplittableRandom().nextLong() : seed;
        try (WorkingDirectory shared = WorkingDirectory.createInMemory("accel-soak-");
                Soak soak = new Soak(jvm(shared.path()), shared.path(), !kernel, chosen, SoakCommand::say)) {
            System.out.println(
                    "Soaking for " + minutes + " minutes in " + shared.path() + "; again by --seed " + chosen);
            List<String> lost = soak.run(Duration.ofMillis(Math.round(minutes * 60_000)));
            lost.forEach(what -> System.err.println("LOST " + what));
            System.out.println(lost.isEmpty() ? "Nothing was lost." : lost.size() + " things were lost.");
            return lost.isEmpty() ? 0 : 1;
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }

    private List<String> jvm(Path shared) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // All of the heap from the start, so that what is resident grows by other things alone.
        command.addAll(List.of("-Xms160m", "-Xmx160m", "-XX:+AlwaysPreTouch", "-XX:+ExitOnOutOfMemoryError"));
        command.add("-XX:-CreateCoredumpOnCrash");
        if (!kernel) {
            command.add("-javaagent:" + accelJar.resolve());
            command.add("-Daccel.shm.dir=" + shared);
            // Short connections are to move, too.
            command.add("-Daccel.handover.after=0");
            // A machine too busy to answer soon is no reason to be on the kernel's path, which would be a loss.
            command.add("-Daccel.connect.probe-timeout=10s");
            command.add("-Daccel.handshake.timeout=20s");
        }
        command.addAll(List.of("-cp", JvmCommand.locationOf(SoakCommand.class).toString()));
        return command;
    }
}
