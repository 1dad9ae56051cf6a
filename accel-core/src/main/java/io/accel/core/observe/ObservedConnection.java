package io.accel.core.observe;

/** A connection as {@link Connections} knows it. All methods are for any thread, and touch no freed memory. */
public interface ObservedConnection {
    /** Which way its bytes take, or are about to take. */
    PathName path();

    /** What has become of it. */
    ConnectionState state();

    /** Adds what was counted of it, and not {@linkplain #foldInto folded}. */
    void addTo(Figures figures);

    /** As {@link #addTo}, into a sum that keeps it. */
    default void foldInto(Figures sum) {
        addTo(sum);
    }

    /** All that is to be known of it now. */
    ConnectionSample sample();
}
