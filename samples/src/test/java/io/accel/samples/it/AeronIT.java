package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.samples.it.harness.Child;
import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.ProcFs;
import io.accel.samples.it.harness.SharedDirectory;
import io.accel.samples.it.programs.AeronEnd;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Aeron, unmodified: two of its media drivers in two JVMs, each of which sends to the other over UDP. */
@Timeout(120)
class AeronIT {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration TRANSFER = Duration.ofSeconds(40);
    private static final int FIRST = 1_000;
    private static final int MESSAGES = 30_000;

    @Test
    void messagesArriveWholeAndInOrderAndNotByTheKernel() throws IOException, InterruptedException {
        try (SharedDirectory directory = SharedDirectory.create();
                Child sink =
                        launch(directory.path().resolve("sink"), "role=sink").start("Aeron's sink")) {
            long port = sink.awaitNumber("PORT", START);
            try (Child source = launch(directory.path().resolve("source"), "role=source", "port=" + port)
                    .start("Aeron's source")) {
                transfer(source, sink, FIRST, FIRST);
                Thread.sleep(500); // the first go by the kernel while a path is looked for
                long before = ProcFs.kernelDatagrams();
                transfer(source, sink, MESSAGES, FIRST + MESSAGES);
                long byKernel = ProcFs.kernelDatagrams() - before;
                // Each message takes a datagram; a few of them are other programs', or Aeron's to nobody.
                if (Launch.isAccel()) {
                    assertThat(byKernel).as("datagrams by the kernel").isLessThan(MESSAGES / 10);
                } else {
                    assertThat(byKernel).as("datagrams by the kernel").isGreaterThanOrEqualTo(MESSAGES);
                }
            }
        }
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
                // As Aeron asks for: it puts its own set of selected keys into the JDK's selectors, and leaves others
                // alone.
                .option("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    }
}
