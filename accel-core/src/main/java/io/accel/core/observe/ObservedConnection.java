// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/** A connection as {@link Connections} knows it. All methods are for any thread, and touch no freed memory. */
public interface ObservedConnection {
    /** The path that its bytes take, or are about to take. */
    PathName path();

    /** The state of the connection. */
    ConnectionState state();

    /** Adds the counts of the connection that are not {@linkplain #foldInto folded}. */
    void addTo(Figures figures);

    /** As {@link #addTo}, into a sum that keeps the counts. */
    default void foldInto(Figures sum) {
        addTo(sum);
    }

    /** The present state of the connection with all its figures. */
    ConnectionSample sample();
}
