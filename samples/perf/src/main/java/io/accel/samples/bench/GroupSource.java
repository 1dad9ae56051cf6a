// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.channels.spi.SelectorProvider;

/**
 * Sends datagrams to {@link GroupMembers} as fast as they go, without a pause, then asks how many arrived: an operation is a datagram that one
 * member has got, and the missing ones are lost. Arguments as for {@link DatagramSource}.
 */
public final class GroupSource {
    private static final int CLOCK_INTERVAL = 256;

    private GroupSource() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        try (GroupPublisher publisher = new GroupPublisher(parameters)) {
            for (int i = 0; i < 2; i++) {
                long unused = send(publisher, parameters.millis("warmup_ms") / 2) + publisher.ask();
            }
            Event.named("warm").send();
            Meter meter = new Meter(Thread.currentThread());
            KernelDatagrams kernel = new KernelDatagrams(2 * publisher.size());
            while (true) {
                long duration = Control.awaitGo();
                long byKernel = kernel.bytes();
                Usage before = meter.begin();
                long begin = System.nanoTime();
                long sent = send(publisher, duration);
                long elapsed = System.nanoTime() - begin;
                Usage used = meter.end().since(before);
                long received = publisher.ask();
                Event.named("result")
                        .with("ops", received)
                        .with("lost", sent * GroupMembers.COUNT - received)
                        .with("moved", received * publisher.size())
                        .with("elapsed_ns", elapsed)
                        .with("provider", SelectorProvider.provider().getClass().getName())
                        .with(used.withKernelBytes(byKernel < 0 ? -1 : kernel.bytes() - byKernel))
                        .send();
            }
        }
    }

    private static long send(GroupPublisher publisher, long duration) throws IOException {
        long end = System.nanoTime() + duration;
        long sent = 0;
        do {
            for (int i = 0; i < CLOCK_INTERVAL; i++) {
                if (publisher.send(sent)) {
                    sent++;
                }
            }
        } while (System.nanoTime() - end < 0);
        return sent;
    }
}
