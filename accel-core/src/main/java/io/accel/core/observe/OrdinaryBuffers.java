// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.EnumMap;
import java.util.Map;

/**
 * Counts the buffers of Netty's transport that a device could have sent from where they lie, if the allocator had not had to take
 * ordinary memory for them. Buffers that it can send so are not counted, and cost nothing. Thread-safe.
 */
public final class OrdinaryBuffers {
    /** Why a buffer is an ordinary one. */
    public enum Why {
        /** Netty cannot tell where a direct buffer lies, so none can be sent from there. */
        NO_ADDRESS("no-address"),
        /** The memory that the profile allows is used up, or the JVM gives no more. */
        NO_MEMORY("no-memory");

        private final String text;

        Why(String text) {
            this.text = text;
        }

        /** The name in metrics. */
        public String text() {
            return text;
        }
    }

    private static final Map<Why, Tally> BUFFERS = new EnumMap<>(Why.class);

    static {
        for (Why why : Why.values()) {
            BUFFERS.put(why, new Tally());
        }
    }

    private OrdinaryBuffers() {}

    /** A buffer was allocated in ordinary memory. */
    public static void allocated(Why why) {
        BUFFERS.get(why).increment();
    }

    /** How many buffers were allocated in ordinary memory, for that reason. */
    public static long count(Why why) {
        return BUFFERS.get(why).sum();
    }
}
