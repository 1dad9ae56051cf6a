// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A part of the list of {@link Connections}, and the sum of the former connections of that part. All under its monitor. */
final class ListingPart {
    final Listing accelerated = new Listing(null, this);
    final Listing others = new Listing(null, this);

    /** The counts that are kept of former connections; made for the first of them. */
    private Map<PathName, Figures> folded;

    /** Keeps the counts of a connection that had a link; null for one that was forgotten, whose counts are lost. */
    void fold(ObservedConnection connection) {
        if (connection == null) {
            return;
        }
        if (folded == null) {
            folded = new EnumMap<>(PathName.class);
        }
        PathName path = connection.path();
        Figures sum = folded.get(path);
        if (sum == null) {
            sum = new Figures();
            folded.put(path, sum);
        }
        connection.foldInto(sum);
    }

    synchronized void addTo(Figures sum, PathName path) {
        Figures former = folded == null ? null : folded.get(path);
        if (former != null) {
            sum.add(former);
        }
        for (Listing each = accelerated.next; each != accelerated; each = each.next) {
            ObservedConnection connection = each.get();
            if (connection != null && connection.path() == path) {
                connection.addTo(sum);
            }
        }
    }

    synchronized void addAll(List<ObservedConnection> all) {
        addAll(accelerated, all);
        addAll(others, all);
    }

    private static void addAll(Listing head, List<ObservedConnection> all) {
        for (Listing each = head.next; each != head; each = each.next) {
            ObservedConnection connection = each.get();
            if (connection != null) {
                all.add(connection);
            }
        }
    }
}
