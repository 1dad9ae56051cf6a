// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;

/**
 * Round trips to {@link GroupMembers}: a datagram to the group, and an answer of each member. Arguments: {@code port}, {@code size} and those of
 * {@link LatencyRun}.
 */
public final class GroupPingPong {
    private GroupPingPong() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        try (GroupPublisher publisher = new GroupPublisher(parameters)) {
            int size = publisher.size();
            new LatencyRun(() -> ignore(publisher.ask()), 2 * size, 1, new KernelDatagrams(2 * size)::bytes)
                    .execute(parameters);
        }
    }

    private static void ignore(long count) {
        if (count < 0) {
            throw new IllegalStateException("a count is never negative");
        }
    }
}
