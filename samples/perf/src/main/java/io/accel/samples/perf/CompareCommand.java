// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perf compare}. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the same plain java.nio programs with Accel and without, side by side, each end in a JVM of its"
                    + " own. The paths of a case take turns, three rounds of them, and a row has the medians of its rounds."
                    + " All cases together take about an hour; --only selects some.",
            "Cases: raw, pingpong-64, pingpong-64-blocking, unix-pingpong-64, stream-64k, stream-64, kernel-pingpong-64,"
                    + " kernel-stream-64k, idle-1000, idle-10000, idle-cpu, burst-2000, paced, connect-close,"
                    + " connect-echo-close, reuseport, exchange-1m, transfer-to, transfer-from, kernel-transfer-to,"
                    + " kernel-transfer-from, kernel-interest, kernel-registration, kernel-mode, datagram-64,"
                    + " datagram-rate-64, multicast-64, multicast-rate-64, udp-200-peers, netty-echo-64, netty-stream-64k, netty-http, timers; where processors are few, with each profile:"
                    + " crowded-one-core, crowded-one-core-blocking, crowded-one-core-netty, crowded-hog,"
                    + " crowded-hog-blocking, crowded-hog-netty, crowded-4x4, crowded-4x4-defaults, crowded-4x4-netty, crowded-quota,"
                    + " crowded-quota-blocking, crowded-quota-netty; on JDK 21 and newer virtual-threads,"
                    + " virtual-sleeper-read, virtual-sleeper-write, virtual-sleeper-select, virtual-sleeper-stream,"
                    + " virtual-sleeper-accept, virtual-sleeper-datagram, crowded-one-core-virtual, crowded-hog-virtual, crowded-quota-virtual; over RDMA: rdma-pingpong-64, rdma-stream-64k, rdma-datagram-64;"
                    + " with --young, with each profile: young-pairs, young-selector, young-new, young-udp-query,"
                    + " young-udp-query-socket, young-netty, young-http."
        },
        footer = {
            "",
            "path: shm is Accel at both ends, kernel the JDK's own sockets; in the kernel-* cases kernel is a client with"
                    + " Accel whose peer has none, and plain is no Accel at all. A row says which path its bytes really"
                    + " took. In the netty-* cases shm is Accel's Netty transport; epoll, nio"
                    + " and io_uring are Netty's own over loopback TCP, unix is epoll over a Unix-domain socket; 'kernel' in"
                    + " 'vs kernel' is epoll. All run without Netty's leak detector.",
            "crowded-one-core: both ends on one processor; crowded-hog: the same, with a busy loop beside them; crowded-4x4: four blocking"
                    + " clients and four event loops on two processors, crowded-4x4-defaults: the same, by a profile that decides for itself"
                    + " when a connection moves, crowded-4x4-netty: four Netty clients, each with an"
                    + " event loop of its own, and four event loops; crowded-quota: each end in a control group with half a"
                    + " processor's time, or on one processor where no group can be made. burst-2000 begins 100 ms after"
                    + " 2,000 other connections had a message each.",
            "virtual-threads: eight connections, each with a virtual thread at either end, and one carrier at each end."
                    + " paced: a request each 2 ms on each of eight connections. connect-close: a connection is opened, accepted and"
                    + " closed; connect-echo-close: with a message there and back between. reuseport: four listeners share a"
                    + " port; balance is the part of its even share that the one with the fewest connections got. exchange-1m: both"
                    + " ends write 1 MiB before they read. idle-10000: B/conn and fd/conn are the memory and the"
                    + " descriptors that a connection takes, both ends together, beside the kernel's own memory."
                    + " udp-200-peers: one of 200 sockets that talked with a server talks on, eight datagrams at a time."
                    + " timers: how late a Netty event loop runs a task that is due in 200 us, compared with NIO's. accel is"
                    + " Accel at both ends, on the path that it chooses.",
            "msg/s: round trips, or messages one way; for datagrams those that arrived, and lost is the share of the others."
                    + " B/op, CPU us/op: heap allocated and CPU time used by both ends, for each"
                    + " operation; in idle-cpu there are none, and the CPU time is in us for each second.",
            "vs kernel: how many times better than the kernel, by the worst of p50, p99, rate and CPU time, for each the"
                    + " median of the rounds' ratios; less than 1 is worse. 'in words' says slower where p50 takes more"
                    + " than 1.05, p99 more than 1.2 times as long, or the rate is below 0.95 of the kernel's. Rounds whose"
                    + " rate or p50 differs by more than 2 times are called bimodal and not averaged: the figures are then"
                    + " those of the worst round. vs raw: how many times as long as the machine's limit at its best, a"
                    + " cache line bounced between two JVMs for round trips and a copy in memory for streams. idle-1 is one"
                    + " connection alone, for comparison with idle-1000, idle-10000 and burst-2000; udp-1-peer is a server's"
                    + " one peer, for comparison with udp-200-peers. Each case runs with the case that it is compared with.",
            "Before it is measured each program runs until the just-in-time compilers are quiet and two windows of a quarter"
                    + " of a second agree within a tenth, ten seconds at most; a line below the table names the programs that did not"
                    + " get so far, and whether the machine was busy with something else. --json has it for each row:"
                    + " run_delay (threads that waited for a processor, on average), compiler and others (processors that"
                    + " compilers and other programs used), steal (part of the time), load, warm_up_s, warm; the worst of"
                    + " the rounds.",
            "With --young both JVMs of a case are new in each round, and start at the same time. A row has the operations that had"
                    + " ended 0.5, 1, 2 and 4 s later, x is their ratio to those without Accel, and 'vs kernel' is by the worst of 1, 2 and"
                    + " 4 s and CPU time: 'in words' says slower where fewer than 0.95 of the kernel's operations (latency: 0.90) had"
                    + " ended by one of these. CPU s, classes loaded, methods and bytes of bytecode compiled, and processor seconds of"
                    + " the compilers are of both ends, until then. Below the table are the ranges of the rounds. young-pairs has four blocking"
                    + " clients and four event loops, young-selector the same with clients by selectors, young-new a connection for each"
                    + " echo in four threads, young-udp-query and -socket a DatagramChannel or DatagramSocket for each question,"
                    + " young-netty Netty's NIO transport, four event loops an end, and young-http the JDK's HttpServer and HttpClient with"
                    + " four threads. young-http and young-udp-query-socket get Accel by the agent, the others by the property.",
            "Over RDMA: kernel is TCP, or UDP, on the device's own address; rstream is rdma-core's program over rsocket, which reports"
                    + " means only; ib_write_lat, ib_write_bw and ib_send_lat (over unreliable datagrams) are"
                    + " perftest's, over the bare verbs. vs rstream: how many times the round trips, or bytes, a second. Without a device"
                    + " everything runs in the"
                    + " lab, each end in a guest of one processor: its figures compare with each other, and with nothing else.",
            "A case that fails, or does not end, is reported with the reason, and the others go on.",
            "Exit status: 0, or 1 if a case failed or did not take the path it should have."
        })
public final class CompareCommand implements Callable<Integer> {
    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final int ROUNDS = 3;
    private static final int YOUNG_ROUNDS = 5;
    private static final Duration IN_LAB = Duration.ofMinutes(20);

    private static final String ROUNDS_NOTE =
            "Measured by accel perf compare: each end in a JVM of its own, the same programs for each path, which take turns;"
                    + " rounds: %d.";

    private static final String YOUNG_NOTE =
            "Measured by accel perf compare --young: new JVMs at both ends for each round and path, which take turns in alternating"
                    + " order; counted from the moment at which both were started; rounds: %d.";

    private static final int RDMA_ROUNDS = 7;

    private static final List<String> RDMA_ONLY = List.of(
            "-Daccel.fabric.order=rdma",
            "-Daccel.fallback=fail",
            "-Daccel.datagram.rdma=true",
            // A guest of a busy machine takes long to load classes.
            "-Daccel.connect.probe-timeout=60s",
            "-Daccel.handshake.timeout=60s");

    @Spec
    private CommandSpec spec;

    @Mixin
    private AccelJarOption accelJar;

    @Option(
            names = "--cores",
            paramLabel = "HOW",
            defaultValue = "split",
            description =
                    "split: each end gets half of the processors, if there are four or more; any: both run where the"
                            + " system lets them (default: ${DEFAULT-VALUE}).")
    private CoreChoice cores;

    /** The values of {@code --cores}. */
    private enum CoreChoice {
        split,
        any;

        Cores resolve() {
            return this == split ? Cores.split() : Cores.ANY;
        }
    }

    @Mixin
    private FabricOption fabric;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "CASE",
            description = "Only these cases, with commas; a star stands for any characters, as in crowded-*.")
    private List<String> only = List.of();

    @Option(
            names = "--young",
            description = "The cases young-*: the first four seconds of programs that have just been started.")
    private boolean young;

    @Option(
            names = "--profiles",
            split = ",",
            paramLabel = "PROFILE",
            description =
                    "With --young, only these profiles, with commas: balanced, latency, throughput, low-cpu, off (default: all).")
    private List<String> profiles = List.of();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "The number of rounds (default: 3, with --young 5, over RDMA 7).")
    private Integer rounds;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "6",
            description =
                    "How long to measure each case over each path, all rounds together (default: ${DEFAULT-VALUE}). With"
                            + " --young each round takes four.")
    private int seconds;

    @Mixin
    private ResultFiles files;

    @Override
    public Integer call() throws IOException, InterruptedException {
        fabric.check();
        if (young && fabric.isRdma()) {
            throw mistake("--young is for --fabric shm alone");
        }
        if (!young && !profiles.isEmpty()) {
            throw mistake("--profiles is for --young alone");
        }
        Set<BenchCase> cases = chosen();
        if (seconds < 1) {
            throw mistake("--seconds must be at least 1, not " + seconds);
        }
        if (rounds != null && rounds < 1) {
            throw mistake("--rounds must be at least 1, not " + rounds);
        }
        Set<Variant> leftOut = leftOut();
        files.create(); // better to learn now than in some minutes that they cannot be written
        if (fabric.isRdma()) {
            return compareOverRdma(cases);
        }
        JvmCommand jvm = new JvmCommand(accelJar.resolve(), Place.here(cores.resolve()), JvmCommand.WARM);
        int count = roundsOr(young ? YOUNG_ROUNDS : Math.min(ROUNDS, seconds));
        Comparison comparison =
                new Comparison(jvm, Budget.unlimited(WARM_UP), Duration.ofSeconds(seconds), count, System.err);
        Result result = young ? comparison.runWithout(leftOut, cases) : comparison.run(cases);
        ResultPrinter.print(result, jvm.place().describe(), System.out);
        return finish(result, jvm.place(), (young ? YOUNG_NOTE : ROUNDS_NOTE).formatted(count));
    }

    private int roundsOr(int otherwise) {
        return rounds == null ? otherwise : rounds;
    }

    private ParameterException mistake(String what) {
        return new ParameterException(spec.commandLine(), what);
    }

    /** The ways to run a young program that nobody asked for. */
    private Set<Variant> leftOut() {
        try {
            return BenchCase.leftOut(BenchCase.OF_YOUNG, profiles);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--profiles: " + e.getMessage(), e);
        }
    }

    private int compareOverRdma(Set<BenchCase> cases) throws IOException, InterruptedException {
        Optional<RdmaDevice> found = fabric.device();
        if (found.isEmpty()) {
            return fabric.runInLab(argumentsInLab(cases), files.byOption(), IN_LAB);
        }
        RdmaDevice device = found.get();
        Place place = fabric.place(device, cores.resolve());
        JvmCommand jvm = new JvmCommand(accelJar.resolve(), place, RDMA_ONLY);
        Result result = new RdmaComparison(
                        jvm, device, WARM_UP, Duration.ofSeconds(seconds), roundsOr(RDMA_ROUNDS), System.err)
                .run(cases);
        ResultPrinter.print(result, place.describe(), System.out);
        RdmaAims.about(result).forEach(System.out::println);
        if (device.userMode()) {
            System.out.println(userMode(device));
            return finish(result, place, ROUNDS_NOTE.formatted(roundsOr(RDMA_ROUNDS)), userMode(device));
        }
        return finish(result, place, ROUNDS_NOTE.formatted(roundsOr(RDMA_ROUNDS)));
    }

    private static String userMode(RdmaDevice device) {
        return "All of it is " + device.describe()
                + ", a guest of one processor: the figures compare with each other, and with nothing else.";
    }

    private List<String> argumentsInLab(Set<BenchCase> cases) {
        return List.of(
                "perf",
                "compare",
                "--fabric",
                fabric.label(),
                "--cores",
                cores.name(),
                "--rounds",
                Integer.toString(roundsOr(RDMA_ROUNDS)),
                "--seconds",
                Integer.toString(seconds),
                "--accel-jar",
                accelJar.resolve().toString(),
                "--only",
                cases.stream().map(each -> each.label).collect(Collectors.joining(",")));
    }

    private int finish(Result result, Place place, String... notes) throws IOException {
        List<String> sentences = new ArrayList<>(List.of(notes));
        sentences.addAll(ResultPrinter.notes(result));
        sentences.add(place.describe());
        files.write(result, sentences);
        result.failures().forEach(failure -> System.err.println("FAILED " + failure));
        return result.failures().isEmpty() ? 0 : 1;
    }

    private Set<BenchCase> chosen() {
        Set<BenchCase> ofFabric = young ? BenchCase.OF_YOUNG : fabric.isRdma() ? BenchCase.OF_RDMA : BenchCase.OF_SHM;
        if (only.isEmpty()) {
            return EnumSet.copyOf(ofFabric);
        }
        Set<BenchCase> cases = EnumSet.noneOf(BenchCase.class);
        for (String name : only) {
            try {
                cases.addAll(BenchCase.named(name, BenchCase.OF_BENCHES));
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), "--only: " + e.getMessage(), e);
            }
        }
        if (!ofFabric.containsAll(cases)) {
            throw mistake("--only: not every one of " + String.join(", ", only) + " is a case of "
                    + (young ? "--young" : "--fabric " + fabric.label())
                    + (BenchCase.OF_YOUNG.containsAll(cases) ? ", but of --young" : ""));
        }
        return cases;
    }
}
