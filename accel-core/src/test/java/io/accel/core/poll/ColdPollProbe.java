// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static java.nio.channels.SelectionKey.OP_READ;

import java.io.IOException;

/** A poller without a link, often enough for the compiler: each poll finds the same channel ready. */
final class ColdPollProbe {
    private static final int POLLS = 60_000;

    private ColdPollProbe() {}

    public static void main(String[] args) throws IOException {
        PollConfig config = new PollConfig(Long.MAX_VALUE, 1 << 24, 64, 0, PollConfig.Yielding.NEVER);
        long found = 0;
        try (Poller poller = new Poller(config);
                FakeKernel kernel = new FakeKernel()) {
            kernel.makeReadable();
            Registration registration = poller.register(kernel, OP_READ, null);
            Poller.Sink nothing = (ready, ops) -> {};
            for (int i = 0; i < POLLS; i++) {
                found += poller.poll(-1, nothing);
            }
            registration.close();
        }
        System.out.println("found " + found);
    }
}
