// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The processors on which the two ends of one session run, and the other programs there. Nothing of it is left when {@link
 * #close} returns, which must be called after the end of both. Used by one thread.
 */
final class Crowd implements AutoCloseable {
    private static final Path CONTROL_GROUPS = Path.of("/sys/fs/cgroup");

    private final Cores cores;
    private final Map<End, Quota> quotas = new EnumMap<>(End.class);
    private final boolean hogged;
    private final String words;

    private Crowd(Cores cores, boolean hogged, String words) {
        this.cores = cores;
        this.hogged = hogged;
        this.words = words;
    }

    /**
     * Finds the room.
     *
     * @param cores the processors of ends that are not crowded
     * @throws IOException if they cannot be crowded here
     */
    static Crowd of(Crowding crowding, Cores cores) throws IOException {
        return of(crowding, cores, CONTROL_GROUPS);
    }

    static Crowd of(Crowding crowding, Cores cores, Path controlGroups) throws IOException {
        return switch (crowding) {
            case NONE -> new Crowd(cores, false, "");
            case ONE_CORE, HOG, TWO_CORES -> together(crowding, "");
            case QUOTA -> quota(cores, controlGroups);
        };
    }

    private static Crowd together(Crowding crowding, String why) throws IOException {
        Cores few = Cores.together(crowding.processors);
        return new Crowd(
                few,
                crowding.hog,
                "both ends" + (crowding.hog ? " and a busy loop" : "") + " on processor " + few.server() + why);
    }

    private static Crowd quota(Cores cores, Path controlGroups) throws IOException {
        Crowd crowd = new Crowd(cores, false, "each end in a control group with half a processor's time");
        try {
            for (End end : End.values()) {
                crowd.quotas.put(
                        end, Quota.make(controlGroups, ProcessHandle.current().pid() + "-" + end.label));
            }
            return crowd;
        } catch (IOException e) {
            crowd.close();
            return together(Crowding.ONE_CORE, ", since no control group can be made: " + e);
        }
    }

    /** The words to put before a command so that it runs where {@code end} has to. */
    List<String> prefix(End end) {
        List<String> prefix = new ArrayList<>(cores.prefix(end));
        Optional.ofNullable(quotas.get(end)).ifPresent(quota -> prefix.addAll(quota.prefix()));
        return prefix;
    }

    /** Whether a busy loop runs beside the two, on the server's processors. */
    boolean hogged() {
        return hogged;
    }

    /** The programs that share processors, in words; empty if it is not crowded. */
    String describe() {
        return words;
    }

    @Override
    public void close() throws IOException {
        for (Quota quota : quotas.values()) {
            quota.close();
        }
    }
}
