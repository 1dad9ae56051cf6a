package io.accel.core.observe.metrics;

import io.accel.core.fabric.FallbackReason;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Drop;
import io.accel.core.observe.Figure;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import io.accel.core.observe.PollCounters;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.observe.ProcessFigures;
import io.accel.core.observe.WaitCounters;
import io.accel.profile.Role;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Accel's metrics for a program's own Micrometer registry: {@code new AccelMetrics().bindTo(registry)}.
 *
 * <p>All are of the whole process, and are read when the registry is asked: nothing is sampled in between, and counting costs
 * the connections nothing. Where a path is a tag it is {@code shm}, {@code rdma} or, where that makes sense, {@code kernel};
 * a direction is {@code in} or {@code out}, a role {@code client} or {@code server}.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>kind, unit</th><th>tags</th><th>what</th></tr>
 * <tr><td>{@code accel.connections}</td><td>gauge</td><td>path, state</td><td>connections that there are</td></tr>
 * <tr><td>{@code accel.connections.opened}</td><td>counter</td><td>path, role</td><td>those that got their path</td></tr>
 * <tr><td>{@code accel.fallbacks}</td><td>counter</td><td>reason, role</td><td>those that the kernel got, and why</td></tr>
 * <tr><td>{@code accel.handshakes}</td><td>timer</td><td>path</td><td>clients' handshakes that brought a connection</td></tr>
 * <tr><td>{@code accel.bytes}</td><td>counter, bytes</td><td>path, direction</td><td>what programs read and wrote</td></tr>
 * <tr><td>{@code accel.messages}</td><td>counter</td><td>path, direction</td><td>reads and writes that moved bytes</td></tr>
 * <tr><td>{@code accel.publishes}</td><td>counter</td><td>path</td><td>times that bytes were made to appear at a peer</td></tr>
 * <tr><td>{@code accel.publish.size}</td><td>gauge, bytes</td><td>path</td><td>bytes of a publish, on average so far</td></tr>
 * <tr><td>{@code accel.stalls}</td><td>timer</td><td>path</td><td>senders without room in the peer's ring</td></tr>
 * <tr><td>{@code accel.doorbells}</td><td>counter</td><td>path, direction</td><td>wake-ups by system call</td></tr>
 * <tr><td>{@code accel.resets}</td><td>counter</td><td>path, direction</td><td>accelerated connections reset</td></tr>
 * <tr><td>{@code accel.drops}</td><td>counter</td><td>kind</td><td>what was thrown away: backlog, datagram, urgent</td></tr>
 * <tr><td>{@code accel.poll.turns}</td><td>counter</td><td>by</td><td>looks for traffic: by poller, or by blocking calls</td></tr>
 * <tr><td>{@code accel.poll.hits}</td><td>counter</td><td>by</td><td>looks of pollers, or waits of blocking calls, that found
 *     some</td></tr>
 * <tr><td>{@code accel.poll.sleeps}</td><td>counter</td><td></td><td>times that a thread went to sleep in the kernel</td></tr>
 * <tr><td>{@code accel.poll.wakeups}</td><td>counter</td><td></td><td>sleeps that ended with something to do</td></tr>
 * <tr><td>{@code accel.wait.sleeps}</td><td>counter</td><td>why</td><td>waits that went on asleep though the profile lets
 *     them look: in-vain, unpromising, crowded, no-core</td></tr>
 * <tr><td>{@code accel.wait.offers}</td><td>timer</td><td></td><td>cores that were offered to others, and for how long</td></tr>
 * <tr><td>{@code accel.wait.handovers}</td><td>counter</td><td></td><td>waits that ended because who was waited for got the
 *     core</td></tr>
 * <tr><td>{@code accel.wait.delays}</td><td>timer</td><td></td><td>threads found to have been kept waiting for a core</td></tr>
 * <tr><td>{@code accel.wait.crowded}</td><td>counter</td><td></td><td>times that threads went over to sleeping at once, because others
 *     want the cores</td></tr>
 * <tr><td>{@code accel.memory.rings}</td><td>gauge, bytes</td><td>path</td><td>rings of open connections</td></tr>
 * <tr><td>{@code accel.memory.registered}</td><td>gauge, bytes</td><td></td><td>memory registered with RDMA devices</td></tr>
 * </table>
 *
 * <p>Bytes of connections that go by the kernel are the kernel's to count. Thread-safe; stateless.
 */
public final class AccelMetrics implements MeterBinder {
    private static final List<PathName> ACCELERATED = List.of(PathName.SHM, PathName.RDMA);

    /** Kept for ever, since registries hold what they ask only weakly. */
    private static final Object PROCESS = new Object();

    /** Metrics of this process. */
    public AccelMetrics() {}

    /**
     * Registers all meters, with zeros for what has not happened.
     *
     * @param registry where to
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bindConnections(registry);
        for (PathName path : ACCELERATED) {
            bindTraffic(registry, path);
        }
        bindPolling(registry);
        bindWaiting(registry);
        for (Drop drop : Drop.values()) {
            counter("accel.drops", drop, ProcessCounters::drops, "What was thrown away, because it could not be taken")
                    .tag("kind", drop.text())
                    .register(registry);
        }
        for (PathName path : ACCELERATED) {
            Gauge.builder("accel.memory.rings", path, MemoryUse::rings)
                    .description("Rings of connections, mapped or allocated")
                    .baseUnit("bytes")
                    .tag("path", path.text())
                    .register(registry);
        }
        Gauge.builder("accel.memory.registered", PROCESS, unused -> MemoryUse.registered())
                .description("Memory registered with RDMA devices, and so pinned")
                .baseUnit("bytes")
                .register(registry);
    }

    private static void bindConnections(MeterRegistry registry) {
        for (PathName path : PathName.values()) {
            for (ConnectionState state : ConnectionState.values()) {
                Gauge.builder("accel.connections", path, each -> Connections.count(each, state))
                        .description("Connections that there are")
                        .tag("path", path.text())
                        .tag("state", state.text())
                        .register(registry);
            }
            for (Role role : Role.values()) {
                counter(
                                "accel.connections.opened",
                                path,
                                each -> ProcessCounters.connections(role, each),
                                "Connections that got their path")
                        .tag("path", path.text())
                        .tag("role", ProcessFigures.name(role))
                        .register(registry);
            }
        }
        for (FallbackReason reason : FallbackReason.values()) {
            for (Role role : Role.values()) {
                counter(
                                "accel.fallbacks",
                                reason,
                                each -> ProcessCounters.fallbacks(role, each),
                                "Connections that go by the kernel, and why")
                        .tag("reason", reason.name())
                        .tag("role", ProcessFigures.name(role))
                        .register(registry);
            }
        }
        for (PathName path : ACCELERATED) {
            timer(
                            "accel.handshakes",
                            path,
                            ProcessCounters::handshakes,
                            ProcessCounters::handshakeNanos,
                            "Handshakes of clients that brought a connection")
                    .tag("path", path.text())
                    .register(registry);
        }
    }

    private static void bindTraffic(MeterRegistry registry, PathName path) {
        String in = "in";
        String out = "out";
        bindPair(registry, path, "accel.bytes", "bytes", "Bytes that programs read and wrote", Figure.BYTES_IN, in);
        bindPair(registry, path, "accel.bytes", "bytes", "Bytes that programs read and wrote", Figure.BYTES_OUT, out);
        String messages = "Reads and writes that moved bytes";
        bindPair(registry, path, "accel.messages", null, messages, Figure.MESSAGES_IN, in);
        bindPair(registry, path, "accel.messages", null, messages, Figure.MESSAGES_OUT, out);
        String doorbells = "Wake-ups by a system call, of this process and of its peers";
        bindPair(registry, path, "accel.doorbells", null, doorbells, Figure.RINGS_IN, in);
        bindPair(registry, path, "accel.doorbells", null, doorbells, Figure.RINGS_OUT, out);
        counter("accel.publishes", path, total(Figure.PUBLISHES), "Times that bytes were made to appear at a peer")
                .tag("path", path.text())
                .register(registry);
        Gauge.builder("accel.publish.size", path, AccelMetrics::publishSize)
                .description("Bytes of a publish, on average so far")
                .baseUnit("bytes")
                .tag("path", path.text())
                .register(registry);
        timer(
                        "accel.stalls",
                        path,
                        each -> Connections.totals(each).get(Figure.STALLS),
                        total(Figure.STALL_NANOS),
                        "Senders that had no room in the peer's ring, and for how long")
                .tag("path", path.text())
                .register(registry);
        String resets = "Accelerated connections that were reset: in, by the peer; out, by this side";
        counter("accel.resets", path, ProcessCounters::resetsIn, resets)
                .tag("path", path.text())
                .tag("direction", in)
                .register(registry);
        counter("accel.resets", path, ProcessCounters::resetsOut, resets)
                .tag("path", path.text())
                .tag("direction", out)
                .register(registry);
    }

    private static void bindPair(
            MeterRegistry registry,
            PathName path,
            String name,
            String unit,
            String description,
            Figure figure,
            String direction) {
        counter(name, path, total(figure), description)
                .baseUnit(unit)
                .tag("path", path.text())
                .tag("direction", direction)
                .register(registry);
    }

    private static void bindPolling(MeterRegistry registry) {
        String turns = "Looks for traffic, each without a system call";
        counter("accel.poll.turns", PROCESS, unused -> PollCounters.totals().turns(), turns)
                .tag("by", "poller")
                .register(registry);
        counter("accel.poll.turns", PROCESS, unused -> ofAllPaths(Figure.LOOKS), turns)
                .tag("by", "blocking")
                .register(registry);
        String hits = "Looks of pollers, or waits of blocking calls, that found traffic without sleeping";
        counter("accel.poll.hits", PROCESS, unused -> PollCounters.totals().hits(), hits)
                .tag("by", "poller")
                .register(registry);
        counter("accel.poll.hits", PROCESS, unused -> ofAllPaths(Figure.HITS), hits)
                .tag("by", "blocking")
                .register(registry);
        counter(
                        "accel.poll.sleeps",
                        PROCESS,
                        unused -> PollCounters.totals().sleeps(),
                        "Times that a thread went to sleep in the kernel")
                .register(registry);
        counter(
                        "accel.poll.wakeups",
                        PROCESS,
                        unused -> PollCounters.totals().wakeups(),
                        "Sleeps that ended with something to do")
                .register(registry);
    }

    private static void bindWaiting(MeterRegistry registry) {
        for (WaitCounters.Why why : WaitCounters.Why.values()) {
            counter("accel.wait.sleeps", why, WaitCounters::sleeps, "Waits that went on asleep, and why")
                    .tag("why", why.text())
                    .register(registry);
        }
        timer(
                        "accel.wait.offers",
                        PROCESS,
                        unused -> WaitCounters.offers(),
                        unused -> WaitCounters.offerNanos(),
                        "Cores that were offered to other threads, and for how long")
                .register(registry);
        counter(
                        "accel.wait.handovers",
                        PROCESS,
                        unused -> WaitCounters.handovers(),
                        "Waits that ended because who was waited for got the core")
                .register(registry);
        timer(
                        "accel.wait.delays",
                        PROCESS,
                        unused -> WaitCounters.delays(),
                        unused -> WaitCounters.delayNanos(),
                        "Threads that were found to have been kept waiting for a core, and for how long")
                .register(registry);
        counter(
                        "accel.wait.crowded",
                        PROCESS,
                        unused -> WaitCounters.crowdings(),
                        "Times that threads went over to sleeping at once, because others want the cores")
                .register(registry);
    }

    private static double ofAllPaths(Figure figure) {
        double sum = 0;
        for (PathName path : ACCELERATED) {
            sum += Connections.totals(path).get(figure);
        }
        return sum;
    }

    private static double publishSize(PathName path) {
        var totals = Connections.totals(path);
        long publishes = totals.get(Figure.PUBLISHES);
        return publishes == 0 ? 0 : (double) totals.get(Figure.BYTES_OUT) / publishes;
    }

    private static ToDoubleFunction<PathName> total(Figure figure) {
        return path -> Connections.totals(path).get(figure);
    }

    private static <T> FunctionCounter.Builder<T> counter(
            String name, T of, ToDoubleFunction<T> value, String description) {
        return FunctionCounter.builder(name, of, value).description(description);
    }

    private static <T> FunctionTimer.Builder<T> timer(
            String name, T of, ToLongFunction<T> count, ToDoubleFunction<T> nanos, String description) {
        return FunctionTimer.builder(name, of, count, nanos, TimeUnit.NANOSECONDS)
                .description(description);
    }
}
