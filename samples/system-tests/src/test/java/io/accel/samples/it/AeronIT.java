// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.AeronEnd;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import io.accel.testing.RealProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Aeron, unmodified: two of its media drivers in two JVMs, each of which sends to the other over UDP. Where possible they have
 * a network of their own, so that the kernel counts nobody else's datagrams.
 */
@RealProgram(
        name = "Aeron, media drivers over UDP",
        artifact = "io.aeron:aeron-driver",
        how = "two drivers in JVMs of their own, messages checked for order and content")
@Timeout(120)
class AeronIT {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration TRANSFER = Duration.ofSeconds(40);
    private static final int FIRST = 1_000;
    private static final int MESSAGES = 30_000;

    @Test
    void messagesArriveWholeAndInOrderAndNotByTheKernel() throws IOException, InterruptedException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child sink = launch(directory.path().resolve("sink"), "role=sink")
                        .inNetworkOfItsOwn()
                        .start("Aeron's sink")) {
            long port = sink.awaitNumber("PORT", START);
            try (Child source = launch(directory.path().resolve("source"), "role=source", "port=" + port)
                    .inNetworkOf(sink)
                    .start("Aeron's source")) {
                int sent = warmUp(source, sink);
                long before = ProcFs.kernelDatagrams(sink.pid());
                transfer(source, sink, MESSAGES, sent + MESSAGES);
                long byKernel = ProcFs.kernelDatagrams(sink.pid()) - before;
                // Each message takes a datagram; Aeron sends a few further datagrams to nobody.
                if (Launch.isAccel()) {
                    assertThat(byKernel).as("datagrams through the kernel").isLessThan(MESSAGES / 10);
                } else {
                    assertThat(byKernel).as("datagrams through the kernel").isGreaterThanOrEqualTo(MESSAGES);
                }
            }
        }
    }

    /** Sends until a path was found for both directions, if one is expected, and says how many messages that took. */
    private static int warmUp(Child source, Child sink) {
        long end = System.nanoTime() + TRANSFER.toNanos();
        int sent = 0;
        long byKernel;
        do {
            long before = ProcFs.kernelDatagrams(sink.pid());
            sent += FIRST;
            transfer(source, sink, FIRST, sent);
            byKernel = ProcFs.kernelDatagrams(sink.pid()) - before;
        } while (Launch.isAccel() && byKernel >= FIRST / 10 && System.nanoTime() - end < 0);
        return sent;
    }

    private static void transfer(Child source, Child sink, int messages, int inAll) {
        sink.send("AWAIT " + messages);
        source.send("SEND " + messages);
        source.awaitLine("SENT " + inAll, TRANSFER);
        sink.awaitLine("GOT " + inAll, TRANSFER);
    }

    private static Launch launch(Path directory, String role, String... more) {
        String[] arguments = new String[more.length + 2];
        arguments[0] = role;
        arguments[1] = "dir=" + directory;
        System.arraycopy(more, 0, arguments, 2, more.length);
        return Launch.accelerated(AeronEnd.class, arguments)
                .testClassPath()
                // As Aeron asks: it puts its own set of selected keys into the JDK's selectors, and leaves other
                // selectors alone.
                .option("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    }
}
