// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import io.accel.FallbackReason;
import io.accel.core.observe.BuildInfo;
import io.accel.core.observe.CaptureCounters;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Drop;
import io.accel.core.observe.Durations;
import io.accel.core.observe.Figure;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.OrdinaryBuffers;
import io.accel.core.observe.PathName;
import io.accel.core.observe.PollCounters;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.observe.ProcessFigures;
import io.accel.core.observe.UpgradeCounters;
import io.accel.core.observe.WaitCounters;
import io.accel.metrics.AccelMetrics;
import io.accel.profile.Role;
import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * Accel's meters, as {@link AccelMetrics} lists them, without the terms of any metrics library. Needs the JDK alone. Stateless.
 * Public because a class that another class loader defines calls it.
 */
public final class AccelMeters {
    private static final List<PathName> ACCELERATED = List.of(PathName.SHM, PathName.RDMA);
    private static final String IN = "in";
    private static final String OUT = "out";

    private AccelMeters() {}

    /**
     * Hands over all meters, with zeros for events that have not happened.
     *
     * @param sink takes the meters
     */
    public static void describe(MeterSink sink) {
        MeterId build = MeterId.of("accel.build.info", "1; the tags give the versions of Accel and of Java")
                .tag("version", BuildInfo.version())
                .tag("java", Runtime.version().toString());
        sink.gauge(build, () -> 1);
        describeConnections(sink);
        for (PathName path : ACCELERATED) {
            describeTraffic(sink, path);
        }
        describePolling(sink);
        describeWaiting(sink);
        describeUpgrades(sink);
        for (Drop drop : Drop.values()) {
            MeterId drops = MeterId.of("accel.drops", "Clients, datagrams and urgent bytes that could not be taken");
            sink.counter(drops.tag("kind", drop.text()), () -> ProcessCounters.drops(drop));
        }
        for (PathName path : ACCELERATED) {
            MeterId rings = MeterId.of("accel.memory.rings", "Rings of connections, mapped or allocated");
            sink.gauge(rings.in("bytes").tag("path", path.text()), () -> MemoryUse.rings(path));
        }
        MeterId cap = MeterId.of("accel.memory.cap", "The most memory that rings may take; 0 for no limit");
        sink.gauge(cap.in("bytes").tag("path", PathName.SHM.text()), MemoryUse::cap);
        MeterId registered =
                MeterId.of("accel.memory.registered", "Memory registered with RDMA devices, and so pinned");
        sink.gauge(registered.in("bytes"), MemoryUse::registered);
        for (OrdinaryBuffers.Why why : OrdinaryBuffers.Why.values()) {
            MeterId refused = MeterId.of(
                    "accel.in.place.refused",
                    "Buffers of AccelByteBufAllocator that devices send from by a copy, and why");
            sink.counter(refused.tag("why", why.text()), () -> OrdinaryBuffers.count(why));
        }
        sink.gauge(MeterId.of("accel.captures", "Captures under way, by accel capture"), CaptureCounters::running);
        MeterId packets = MeterId.of("accel.capture.packets", "Packets that captures have handed over, or dropped");
        sink.counter(packets.tag("fate", "kept"), () -> CaptureCounters.packets(true));
        sink.counter(packets.tag("fate", "dropped"), () -> CaptureCounters.packets(false));
    }

    private static void describeConnections(MeterSink sink) {
        for (PathName path : PathName.values()) {
            for (ConnectionState state : ConnectionState.values()) {
                MeterId connections = MeterId.of("accel.connections", "Current connections")
                        .tag("path", path.text())
                        .tag("state", state.text());
                sink.gauge(connections, () -> Connections.count(path, state));
            }
            for (Role role : Role.values()) {
                MeterId opened = MeterId.of("accel.connections.opened", "Connections that got their path")
                        .tag("path", path.text())
                        .tag("role", ProcessFigures.name(role));
                sink.counter(opened, () -> ProcessCounters.connections(role, path));
            }
        }
        for (FallbackReason reason : FallbackReason.values()) {
            for (Role role : Role.values()) {
                MeterId fallbacks = MeterId.of("accel.fallbacks", "Connections that go through the kernel, and why")
                        .tag("reason", reason.name())
                        .tag("actionable", Boolean.toString(reason.actionable()))
                        .tag("role", ProcessFigures.name(role));
                sink.counter(fallbacks, () -> ProcessCounters.fallbacks(role, reason));
            }
        }
        for (PathName path : ACCELERATED) {
            MeterId handshakes = MeterId.of("accel.handshakes", "Handshakes of clients that led to a connection");
            timer(sink, handshakes.tag("path", path.text()), ProcessCounters.handshakes(path));
        }
    }

    private static void describeTraffic(MeterSink sink, PathName path) {
        MeterId bytes =
                of(path, "accel.bytes", "Bytes that programs read and wrote").in("bytes");
        describePair(sink, bytes, total(path, Figure.BYTES_IN), total(path, Figure.BYTES_OUT));
        MeterId inPlace = of(path, "accel.in.place", "Bytes that a device read from where programs had written them")
                .in("bytes");
        sink.counter(inPlace, total(path, Figure.BYTES_IN_PLACE));
        MeterId messages = of(path, "accel.messages", "Reads and writes that moved bytes");
        describePair(sink, messages, total(path, Figure.MESSAGES_IN), total(path, Figure.MESSAGES_OUT));
        MeterId doorbells = of(path, "accel.doorbells", "Wake-ups by a system call, of this process and of its peers");
        describePair(sink, doorbells, total(path, Figure.RINGS_IN), total(path, Figure.RINGS_OUT));
        MeterId publishes = of(path, "accel.publishes", "Times that bytes were made to appear at a peer");
        sink.counter(publishes, total(path, Figure.PUBLISHES));
        MeterId size = of(path, "accel.publish.size", "Bytes of a publish, on average so far");
        sink.gauge(size.in("bytes"), () -> publishSize(path));
        MeterId stalls = of(path, "accel.stalls", "Senders that had no room in the peer's ring, and for how long");
        sink.timer(
                stalls,
                () -> Connections.totals(path).get(Figure.STALLS),
                total(path, Figure.STALL_NANOS),
                ProcessCounters.stalls(path));
        MeterId resets = of(
                path,
                "accel.resets",
                "Accelerated connections that were reset: in, by the peer or because it broke; out, by this side");
        describePair(sink, resets, () -> ProcessCounters.resetsIn(path), () -> ProcessCounters.resetsOut(path));
    }

    private static MeterId of(PathName path, String name, String description) {
        return MeterId.of(name, description).tag("path", path.text());
    }

    private static void describePair(MeterSink sink, MeterId id, DoubleSupplier in, DoubleSupplier out) {
        sink.counter(id.tag("direction", IN), in);
        sink.counter(id.tag("direction", OUT), out);
    }

    private static void describePolling(MeterSink sink) {
        MeterId turns = MeterId.of("accel.poll.turns", "Looks for traffic, each without a system call");
        sink.counter(turns.tag("by", "poller"), () -> PollCounters.totals().turns());
        sink.counter(turns.tag("by", "blocking"), () -> ofAllPaths(Figure.LOOKS));
        MeterId hits = MeterId.of(
                "accel.poll.hits", "Looks of pollers, or waits of blocking calls, that found traffic without sleeping");
        sink.counter(hits.tag("by", "poller"), () -> PollCounters.totals().hits());
        sink.counter(hits.tag("by", "blocking"), () -> ofAllPaths(Figure.HITS));
        MeterId sleeps = MeterId.of("accel.poll.sleeps", "Times that a thread went to sleep in the kernel");
        sink.counter(sleeps, () -> PollCounters.totals().sleeps());
        MeterId wakeups = MeterId.of("accel.poll.wakeups", "Sleeps that ended with something to do");
        sink.counter(wakeups, () -> PollCounters.totals().wakeups());
    }

    private static void describeWaiting(MeterSink sink) {
        for (WaitCounters.Why why : WaitCounters.Why.values()) {
            MeterId sleeps = MeterId.of("accel.wait.sleeps", "Waits that went on asleep, by reason");
            sink.counter(sleeps.tag("why", why.text()), () -> WaitCounters.sleeps(why));
        }
        MeterId offers = MeterId.of("accel.wait.offers", "Cores that were offered to other threads, and for how long");
        sink.timer(offers, WaitCounters::offers, WaitCounters::offerNanos);
        MeterId handovers =
                MeterId.of("accel.wait.handovers", "Waits that ended because the awaited thread got the core");
        sink.counter(handovers, WaitCounters::handovers);
        MeterId delays = MeterId.of(
                "accel.wait.delays", "Threads that were found to have been kept waiting for a core, and for how long");
        timer(sink, delays, WaitCounters.delays());
        MeterId crowded = MeterId.of(
                "accel.wait.crowded",
                "Times that threads went over to sleeping at once, because others want the cores");
        sink.counter(crowded, WaitCounters::crowdings);
    }

    private static void describeUpgrades(MeterSink sink) {
        MeterId price = MeterId.of("accel.upgrade.price", "Processor time that a faster path costs at both ends");
        sink.gauge(price.in("seconds"), () -> seconds(UpgradeCounters.priceNanos()));
        MeterId saving = MeterId.of("accel.upgrade.saving", "Time that a read or a write saves over a faster path");
        sink.gauge(saving.in("seconds"), () -> seconds(UpgradeCounters.savingNanos()));
        MeterId saved = MeterId.of("accel.upgrade.saved", "Time saved by faster paths so far, less their cost");
        sink.gauge(saved.in("seconds"), () -> seconds(UpgradeCounters.savedNanos()));
        MeterId waiting = MeterId.of("accel.upgrade.waiting", "Connections that wait for a faster path");
        sink.gauge(waiting, UpgradeCounters::waiting);
        MeterId slower =
                MeterId.of("accel.upgrade.slower", "Connections that were slower over a faster path, and gave it back");
        sink.counter(slower, UpgradeCounters::slowerOnes);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    /** Hands over a timer of events that are counted only when they are over. */
    private static void timer(MeterSink sink, MeterId id, Durations durations) {
        sink.timer(id, durations::count, durations::nanos, durations);
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

    private static DoubleSupplier total(PathName path, Figure figure) {
        return () -> Connections.totals(path).get(figure);
    }
}
