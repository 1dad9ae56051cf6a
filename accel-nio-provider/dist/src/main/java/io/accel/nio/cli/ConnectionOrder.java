// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.ProcessSample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The order of connections, in the words of {@code --sort}. */
enum ConnectionOrder {
    AGE,
    BYTES,
    RATE,
    MESSAGES,
    STALLS,
    UNREAD;

    /** Returns the next order, and the first after the last. */
    ConnectionOrder next() {
        List<ConnectionOrder> all = List.of(values());
        return all.get((all.indexOf(this) + 1) % all.size());
    }

    private double value(ConnectionSample connection, Figures before) {
        Figures figures = connection.figures();
        return switch (this) {
            case AGE -> 0;
            case BYTES -> bytes(figures);
            case RATE -> bytes(figures) - bytes(before);
            case MESSAGES -> figures.get(Figure.MESSAGES_IN) + figures.get(Figure.MESSAGES_OUT);
            case STALLS -> figures.get(Figure.STALL_NANOS) + connection.stalledNanos();
            case UNREAD -> connection.queuedIn();
        };
    }

    /**
     * Returns the same process with its connections in this order, and connections of the same value by age.
     *
     * @param sample the sample, which counts connections from their beginning
     * @param earlier the sample of the look before; null if there was none
     */
    ProcessSample sort(ProcessSample sample, ProcessSample earlier) {
        Map<Long, Figures> before = new HashMap<>();
        if (earlier != null) {
            earlier.connections().forEach(connection -> before.put(connection.id(), connection.figures()));
        }
        Figures none = new Figures();
        Map<Long, Double> values = new HashMap<>();
        for (ConnectionSample connection : sample.connections()) {
            double raw = value(connection, before.getOrDefault(connection.id(), none));
            boolean isFirstLook = this == RATE && earlier == null;
            long age = Math.max(1, sample.takenMillis() - connection.openedMillis());
            values.put(connection.id(), isFirstLook ? raw / age : raw);
        }
        List<ConnectionSample> sorted = new ArrayList<>(sample.connections());
        sorted.sort(Comparator.comparingDouble((ConnectionSample connection) -> -values.get(connection.id()))
                .thenComparingLong(ConnectionSample::id));
        return sample.with(sorted);
    }

    private static long bytes(Figures figures) {
        return figures.get(Figure.BYTES_IN) + figures.get(Figure.BYTES_OUT);
    }

    /** Returns the word of the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
