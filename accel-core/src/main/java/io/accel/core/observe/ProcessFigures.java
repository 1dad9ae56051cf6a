// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import io.accel.FallbackReason;
import io.accel.profile.Role;
import java.util.Map;
import java.util.TreeMap;

/** All figures of the process by name, for callers that want them in one go. */
public final class ProcessFigures {
    private ProcessFigures() {}

    /**
     * Returns the present figures. A name without its path, role or reason does not occur. Figures of events that
     * never happened are left out, except for the figures of pollers and memory.
     *
     * @return values by names such as {@code bytes.in.shm} or {@code fallbacks.client.RULE}, sorted; times in nanoseconds
     */
    public static Map<String, Long> read() {
        Map<String, Long> all = new TreeMap<>();
        PollCounters.Totals polls = PollCounters.totals();
        all.put("poll.turns", polls.turns());
        all.put("poll.hits", polls.hits());
        all.put("poll.sleeps", polls.sleeps());
        all.put("poll.wakeups", polls.wakeups());
        for (WaitCounters.Why why : WaitCounters.Why.values()) {
            put(all, "wait.sleeps." + why.text(), WaitCounters.sleeps(why));
        }
        put(all, "wait.offers", WaitCounters.offers());
        put(all, "wait.offer.nanos", WaitCounters.offerNanos());
        put(all, "wait.handovers", WaitCounters.handovers());
        put(all, "wait.delays", WaitCounters.delays().count());
        put(all, "wait.delay.nanos", WaitCounters.delays().nanos());
        put(all, "wait.crowded", WaitCounters.crowdings());
        if (!UpgradeCounters.state().isEmpty()) {
            all.put("upgrade.state." + UpgradeCounters.state(), 1L);
            all.put("upgrade.waiting", (long) UpgradeCounters.waiting());
            all.put("upgrade.price.nanos", UpgradeCounters.priceNanos());
            all.put("upgrade.saving.nanos", UpgradeCounters.savingNanos());
            all.put("upgrade.links", UpgradeCounters.links());
            all.put("upgrade.paid.nanos", UpgradeCounters.paidNanos());
            all.put("upgrade.slower", UpgradeCounters.slowerOnes());
            all.put("upgrade.saved.nanos", UpgradeCounters.savedNanos());
        }
        for (PathName path : PathName.values()) {
            if (path != PathName.KERNEL) {
                all.put("memory.rings." + path.text(), MemoryUse.rings(path));
                Figures totals = Connections.totals(path);
                for (Figure figure : Figure.values()) {
                    put(all, figure.text() + "." + path.text(), totals.get(figure));
                }
            }
            put(
                    all,
                    "handshakes." + path.text(),
                    ProcessCounters.handshakes(path).count());
            put(
                    all,
                    "handshake.nanos." + path.text(),
                    ProcessCounters.handshakes(path).nanos());
            put(all, "resets.in." + path.text(), ProcessCounters.resetsIn(path));
            put(all, "resets.out." + path.text(), ProcessCounters.resetsOut(path));
            for (Role role : Role.values()) {
                put(all, "connections." + name(role) + "." + path.text(), ProcessCounters.connections(role, path));
            }
        }
        for (Role role : Role.values()) {
            for (FallbackReason reason : FallbackReason.values()) {
                put(all, "fallbacks." + name(role) + "." + reason, ProcessCounters.fallbacks(role, reason));
            }
        }
        for (Drop drop : Drop.values()) {
            put(all, "drops." + drop.text(), ProcessCounters.drops(drop));
        }
        put(all, "memory.cap.shm", MemoryUse.cap());
        all.put("memory.registered", MemoryUse.registered());
        return all;
    }

    /** The name of a role in metrics and samples. */
    public static String name(Role role) {
        return role == Role.CLIENT ? "client" : "server";
    }

    private static void put(Map<String, Long> all, String name, long value) {
        if (value != 0) {
            all.put(name, value);
        }
    }
}
