// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perf apps}. */
@Command(
        name = "apps",
        mixinStandardHelpOptions = true,
        description = {
            "Measures real, unmodified servers and clients of other projects, on the plain JDK and with"
                    + " Accel's agent at both ends, each end in a JVM of its own. Both take turns, round by round.",
            "Names: kafka-produce (records of 10 KiB, a hundred under way), kafka-record (a record is produced and consumed"
                    + " before the next one is), zookeeper-read (a node of 1 KiB), derby-lookup (a row by its key, by JDBC),"
                    + " grpc-unary and grpc-netty (grpc-netty-shaded and grpc-netty, one caller), tomcat (the JDK's HttpClient, one"
                    + " connection), tomcat-nio2 (the same with the connector of that name), tomcat-each (HttpURLConnection, a"
                    + " connection for each request), vertx (its HTTP server and client), webflux (Spring's, on Reactor Netty),"
                    + " artemis-send (a message is acknowledged and received before the next one is sent), cassandra-read (a row of"
                    + " 1 KiB by its key), jgroups (a message to and fro between two members over TCP_NIO2), undertow (as tomcat, on XNIO), hazelcast-get (a value of"
                    + " 1 KiB of a member's map, by a client), hazelcast-pair (such a value of the other member of two), peers (64 B to and fro by blocking channels over TCP,"
                    + " Unix-domain sockets and junixsocket's, and by Aeron's IPC). NAME-one-core has both ends on one processor,"
                    + " NAME-quota gives each half a processor's time; a star stands for any characters, as in *-quota."
        },
        footer = {
            "",
            "The table is the same as in 'accel perf compare', whose help explains it. linked is the part of the client's open"
                    + " connections that do not go through the kernel once it is warm; bytes is the same part of the bytes that the"
                    + " client reads and"
                    + " writes while it is measured. Below it, for each row with"
                    + " Accel, is how many times the plain JDK's rate, p50 and p99 it has, as the mean of the rounds' ratios"
                    + " with its confidence interval of 95 %%; for p50 and p99 less is better. A program that takes Netty's"
                    + " epoll by itself does so on the plain JDK, and takes NIO with Accel.",
            "With --young a row has the operations that had ended 1, 2, 4 and 10 s after both JVMs were started, the server's and the"
                    + " client's own start included, and x is their ratio to those of the plain JDK. msg/s, CPU us/op and what follows"
                    + " from CPU s on are of the first 10 s. warm s is when the program had, for a second, the rate that it has on the"
                    + " plain JDK in the last five seconds of the same round, or 0.95 of it: with --warm-up 40 that is nearer to what it"
                    + " has when it is warm. In 'in words' and 'vs kernel' are the operations of the first 10 s, which must be 0.97 of the"
                    + " plain JDK's, and the CPU time. A connection moves when its profile says, and not after eight operations as in"
                    + " the other measurements.",
            "Exit status: 0, or 1 if a program failed."
        })
public final class AppsCommand implements Callable<Integer> {
    private static final int MOST_A_SECOND = 1_000_000;
    /** A program with less than this part of the requested rate could not follow. */
    private static final double FOLLOWS = 0.95;

    @Spec
    private CommandSpec spec;

    @Mixin
    private AccelJarOption accelJar;

    @Parameters(
            paramLabel = "NAME",
            description = "The programs (default: all cases in which both ends have all processors).")
    private List<String> names = List.of();

    @Option(
            names = "--young",
            description = {
                "Measure the first seconds of programs that have just been started: all but peers. Both JVMs are new in each"
                        + " round. See below."
            })
    private boolean young;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "The number of rounds (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "How long to measure in each round, after a warm-up (default: ${DEFAULT-VALUE}). Not for --young.")
    private int seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "How many seconds a program may take to become warm (default: ${DEFAULT-VALUE}). With --young each round"
                            + " takes so long, and ten seconds at least.")
    private int warmUp;

    @Option(
            names = "--open-loop",
            paramLabel = "RATE",
            defaultValue = "0",
            description =
                    "Begin so many operations a second, instead of each when the one before it ends. If an operation is late"
                            + " because the one before it was late, its time counts from when it was due. kafka-produce sends at"
                            + " that rate.")
    private int openLoop;

    @Option(
            names = "--profile",
            split = ",",
            paramLabel = "PROFILE",
            defaultValue = "balanced",
            description =
                    "The profiles, with commas: latency, balanced, throughput, low-cpu, off (default: ${DEFAULT-VALUE}).")
    private List<String> profiles;

    @Option(
            names = "--cpu",
            description =
                    "Also say what the processors are used for: socket calls, channels, Accel, threads, the JVM, the program. A round"
                            + " of its own, after the others, samples the stacks of both ends with async-profiler.")
    private boolean cpu;

    @Mixin
    private ResultFiles files;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || seconds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds and --seconds must be at least 1");
        }
        if (warmUp < 1 || openLoop < 0 || openLoop > MOST_A_SECOND) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--warm-up must be at least 1, and --open-loop from 1 to " + MOST_A_SECOND + " a second");
        }
        if (young && (cpu || openLoop > 0)) {
            throw new ParameterException(spec.commandLine(), "--young is without --cpu and --open-loop");
        }
        Set<BenchCase> cases = chosen();
        Set<Variant> leftOut = leftOut();
        files.create();
        JvmCommand jvm = new JvmCommand(accelJar.resolve(), Place.here(Cores.ANY), young ? List.of() : JvmCommand.WARM);
        Result result = run(comparison(jvm), jvm, cases, leftOut);
        ResultPrinter.print(result, jvm.place().describe(), System.out);
        List<String> ratios = ratios(result);
        ratios.addAll(ofCpu(result));
        ratios.addAll(ofOpenLoop(result));
        printAll(ratios, System.out);
        List<String> notes = new ArrayList<>();
        notes.add("Measured by accel perf apps" + (young ? " --young" : "")
                + ": the same programs on the plain JDK and with Accel's agent, which take turns;"
                + " rounds: " + rounds
                + (young ? ", each with new JVMs, counted from their start." : ", of " + seconds + " s."));
        notes.addAll(ResultPrinter.notes(result));
        notes.addAll(ratios);
        files.write(result, notes);
        result.failures().forEach(failure -> System.err.println("FAILED " + failure));
        return result.failures().isEmpty() ? 0 : 1;
    }

    private Comparison comparison(JvmCommand jvm) {
        Comparison comparison = new Comparison(
                jvm,
                Budget.unlimited(Duration.ofSeconds(warmUp)),
                Duration.ofSeconds((long) seconds * rounds),
                rounds,
                System.err);
        return young ? comparison.young(Duration.ofSeconds(warmUp)) : comparison.openLoop(openLoop);
    }

    private Result run(Comparison comparison, JvmCommand jvm, Set<BenchCase> cases, Set<Variant> leftOut)
            throws IOException, InterruptedException {
        if (!cpu) {
            return comparison.runWithout(leftOut, cases);
        }
        try (CpuSampler sampler = CpuSampler.of(jvm.commonLibraries())) {
            return comparison.sampling(sampler).runWithout(leftOut, cases);
        }
    }

    /** A line for each row for which it is known. */
    private static List<String> ofCpu(Result result) {
        return result.rows().stream()
                .filter(row -> row.cpu().all() > 0)
                .map(row ->
                        row.benchCase() + ", " + row.path() + (row.profile().equals("none") ? "" : ' ' + row.profile())
                                + ", processor time: " + row.cpu().words())
                .toList();
    }

    private static void printAll(List<String> lines, PrintStream out) {
        lines.forEach(out::println);
    }

    private Set<BenchCase> chosen() {
        Set<BenchCase> among = young ? BenchCase.OF_YOUNG_APPS : BenchCase.OF_APPS;
        Set<BenchCase> cases = EnumSet.noneOf(BenchCase.class);
        if (names.isEmpty()) {
            among.stream().filter(each -> each.crowding == Crowding.NONE).forEach(cases::add);
        }
        for (String name : names) {
            try {
                cases.addAll(BenchCase.named(name, among));
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), e.getMessage(), e);
            }
        }
        return cases;
    }

    private Set<Variant> leftOut() {
        try {
            return BenchCase.leftOut(BenchCase.OF_APPS, profiles);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--profile: " + e.getMessage(), e);
        }
    }

    /** The way of the measurement, and the rows that could not follow. */
    private List<String> ofOpenLoop(Result result) {
        List<String> lines = new ArrayList<>();
        if (openLoop > 0) {
            lines.add("Open loop: " + openLoop + " operations a second were due.");
            result.rows().stream()
                    .filter(row -> row.figures().messagesPerSecond() < FOLLOWS * openLoop)
                    .forEach(row -> lines.add(row.benchCase() + ", " + row.path() + " " + row.profile()
                            + ": could not follow that rate; its times are those of a growing queue"));
        }
        return lines;
    }

    /** A line for each row with Accel that has as many rounds as the row without. */
    private static List<String> ratios(Result result) {
        List<String> lines = new ArrayList<>();
        for (Row row : result.rows()) {
            result.rows().stream()
                    .filter(other -> other.benchCase().equals(row.benchCase())
                            && other.profile().equals("none")
                            && !row.profile().equals("none"))
                    .findFirst()
                    .ifPresent(plain -> lines.add(row.benchCase() + ", " + row.profile() + ": "
                            + Stream.of(
                                            interval("rate", row, plain, Figures::messagesPerSecond),
                                            interval("p50", row, plain, Figures::p50Micros),
                                            interval("p99", row, plain, Figures::p99Micros),
                                            interval("CPU time", row, plain, Figures::cpuMicrosPerOp))
                                    .flatMap(Optional::stream)
                                    .collect(Collectors.joining(", "))));
        }
        return lines;
    }

    /** Empty if the figure was not measured, or nothing was done without Accel. */
    private static Optional<String> interval(String figure, Row row, Row plain, ToDoubleFunction<Figures> of) {
        Interval interval = Interval.of(Verdict.ratios(row.rounds(), plain.rounds(), of));
        return !Double.isFinite(interval.mean()) ? Optional.empty() : Optional.of(figure + " " + interval.words());
    }
}
