package io.accel.samples.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
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
            "Measures real servers and clients, which nobody here wrote and nothing here changes, on the plain JDK and with"
                    + " Accel's agent at both ends, each end in a JVM of its own. Both take turns, round by round.",
            "Names: kafka-produce (records of 10 KiB, a hundred under way), kafka-record (a record is produced and consumed"
                    + " before the next one is), zookeeper-read (a node of 1 KiB), derby-lookup (a row by its key, by JDBC),"
                    + " grpc-unary (grpc-netty-shaded, one caller), tomcat (the JDK's HttpClient, one connection), tomcat-each"
                    + " (HttpURLConnection, a connection for each request). NAME-one-core has both ends on one processor,"
                    + " NAME-quota gives each half a processor's time; NAME* is all whose names begin so."
        },
        footer = {
            "",
            "The table is that of 'accel perf compare', whose help explains it; linked is the part of the client's open"
                    + " connections that do not go through the kernel once it is warm. Below it, for each row with"
                    + " Accel, is how many times the plain JDK's rate, p50 and p99 it has, as the mean of the rounds' ratios"
                    + " with its confidence interval of 95 %; for p50 and p99 less is better. grpc-unary takes Netty's epoll on"
                    + " the plain JDK, as it does by itself, and NIO with Accel.",
            "Exit status: 0, or 1 if a program failed."
        })
public final class AppsCommand implements Callable<Integer> {
    private static final Duration WARM_UP = Duration.ofSeconds(20);

    @Spec
    private CommandSpec spec;

    @Mixin
    private AccelJarOption accelJar;

    @Parameters(
            paramLabel = "NAME",
            description = "Which programs (default: all, where both ends have all processors).")
    private List<String> names = List.of();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How many rounds (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How long to measure in each round, after a warm-up (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--profile",
            split = ",",
            paramLabel = "PROFILE",
            defaultValue = "balanced",
            description = "With which profiles, with commas: latency, balanced, low-cpu (default: ${DEFAULT-VALUE}).")
    private List<String> profiles;

    @Mixin
    private ResultFiles files;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || seconds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds and --seconds must be at least 1");
        }
        Set<BenchCase> cases = chosen();
        Set<Variant> leftOut = leftOut();
        files.create();
        JvmCommand jvm = new JvmCommand(accelJar.resolve(), Cores.ANY);
        Comparison comparison = new Comparison(
                jvm, Budget.unlimited(WARM_UP), Duration.ofSeconds((long) seconds * rounds), rounds, System.err);
        Result result = comparison.runWithout(leftOut, cases);
        ResultPrinter.print(result, jvm.place().describe(), System.out);
        List<String> ratios = ratios(result);
        printAll(ratios, System.out);
        List<String> notes = new ArrayList<>();
        notes.add(
                "Measured by accel perf apps: the same programs on the plain JDK and with Accel's agent, which take turns;"
                        + " rounds: " + rounds + ", of " + seconds + " s.");
        notes.addAll(ResultPrinter.notes(result));
        notes.addAll(ratios);
        files.write(result, notes);
        result.failures().forEach(failure -> System.err.println("FAILED " + failure));
        return result.failures().isEmpty() ? 0 : 1;
    }

    private static void printAll(List<String> lines, PrintStream out) {
        lines.forEach(out::println);
    }

    private Set<BenchCase> chosen() {
        Set<BenchCase> cases = EnumSet.noneOf(BenchCase.class);
        if (names.isEmpty()) {
            BenchCase.OF_APPS.stream()
                    .filter(each -> each.crowding == Crowding.NONE)
                    .forEach(cases::add);
        }
        for (String name : names) {
            try {
                cases.addAll(BenchCase.named(name, BenchCase.OF_APPS));
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), e.getMessage(), e);
            }
        }
        return cases;
    }

    private Set<Variant> leftOut() {
        Set<Variant> left = EnumSet.of(Variant.AGENT_LATENCY, Variant.AGENT_BALANCED, Variant.AGENT_LOW_CPU);
        for (String profile : profiles) {
            if (!left.removeIf(variant -> profile.equals(variant.profile))) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--profile: '" + profile + "' is not one of latency, balanced, low-cpu, or there twice");
            }
        }
        return left;
    }

    /** A line for each row with Accel, of which there are as many rounds as of the one without. */
    private static List<String> ratios(Result result) {
        List<String> lines = new ArrayList<>();
        for (Row row : result.rows()) {
            result.rows().stream()
                    .filter(other -> other.benchCase().equals(row.benchCase())
                            && other.profile().equals("none")
                            && !row.profile().equals("none"))
                    .findFirst()
                    .ifPresent(plain -> lines.add(row.benchCase() + ", " + row.profile() + ": rate "
                            + interval(row, plain, Figures::messagesPerSecond) + ", p50 "
                            + interval(row, plain, Figures::p50Micros) + ", p99 "
                            + interval(row, plain, Figures::p99Micros) + ", CPU time "
                            + interval(row, plain, Figures::cpuMicrosPerOp)));
        }
        return lines;
    }

    private static String interval(Row row, Row plain, ToDoubleFunction<Figures> of) {
        int both = Math.min(row.rounds().size(), plain.rounds().size());
        return Interval.of(IntStream.range(0, both)
                        .mapToDouble(round -> of.applyAsDouble(row.rounds().get(round))
                                / of.applyAsDouble(plain.rounds().get(round)))
                        .toArray())
                .words();
    }
}
