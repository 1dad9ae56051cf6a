// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.List;

/**
 * The presets' texts, in the form of a user's file. The first comment line of each describes it. They are constants, and no resources: to
 * read a resource of a jar takes a process that starts some milliseconds.
 */
final class Presets {
    static final String DEFAULT = "balanced";

    /** The name of the one that accelerates nothing. */
    static final String OFF_NAME = "off";

    static final List<String> NAMES = List.of("latency", "throughput", DEFAULT, "low-cpu", OFF_NAME);

    private static final String LATENCY = """
            # The fastest answer: selectors go on looking for a second after traffic, and take a core for it.

            # A pause of up to a second between two messages costs no wake-up.
            poll.spin=1s
            # A look at the kernel is a system call; a round of polling is some tens of nanoseconds.
            poll.kernel-interval=1000
            # These rings are small enough to stay in the caches.
            ring.size=256KiB
            # The full size at once: on the way to larger rings a connection is on the kernel's path for some milliseconds.
            ring.initial=256KiB
            # A fast answer is worth more than the processor time that it saves.
            handover.saving=40us
            # The first message after a silence has to be as fast as any other.
            handover.idle=forever
            """;

    private static final String THROUGHPUT = """
            # The most bytes a second: rings large enough that a writer seldom waits for the reader.

            ring.initial=256KiB
            ring.size=1MiB
            # A writer that is woken for less room copies little and waits again.
            write.low-water=64KiB
            poll.spin=20us
            # Many small messages come in portions: more of them a second, for some microseconds of latency.
            poll.moderation=300
            """;

    private static final String BALANCED = """
            # Fast answers under traffic, and no core taken without it: the choice for most programs.

            # About the cost of a wake-up by the peer: looking longer than that costs more than sleeping.
            poll.spin=20us
            poll.kernel-interval=200
            # Most connections never fill these rings; the others get larger ones.
            ring.initial=64KiB
            ring.size=256KiB
            write.low-water=4KiB
            """;

    private static final String LOW_CPU = """
            # The least CPU time and memory: waits never look twice, and sleep until the peer rings.

            poll.spin=0
            ring.initial=32KiB
            ring.size=128KiB
            # A writer that is woken can write more bytes.
            write.low-water=16KiB
            # Moving a connection costs CPU time; small connections stay on the kernel's path.
            handover.saving=2us
            handover.idle=10s
            """;

    private static final String OFF = """
            # No acceleration: every connection goes through the kernel, for comparisons or to rule Accel out.

            mode=off
            """;

    private Presets() {}

    static String text(String name) {
        return switch (name) {
            case "latency" -> LATENCY;
            case "throughput" -> THROUGHPUT;
            case DEFAULT -> BALANCED;
            case "low-cpu" -> LOW_CPU;
            case OFF_NAME -> OFF;
            default -> throw new IllegalArgumentException("no preset '" + name + "'");
        };
    }

    static String description(String name) {
        return text(name)
                .lines()
                .filter(line -> line.startsWith("#"))
                .findFirst()
                .map(line -> line.substring(1).strip())
                .orElseThrow();
    }
}
