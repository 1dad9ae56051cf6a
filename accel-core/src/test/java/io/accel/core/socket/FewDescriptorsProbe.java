// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.awaitility.Awaitility.await;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Runs in a JVM that may open few files: clients that wait to be accepted must not make the rendezvous thread spin. */
final class FewDescriptorsProbe {
    /** How long it pauses in vain, 100 ms each time. */
    private static final int PAUSES_MILLIS = 1_000;

    private static final int LATE = 10;
    private static final int AGAIN_MILLIS = 500;
    private static final int LIMIT_SECONDS = 20;

    private FewDescriptorsProbe() {}

    public static void main(String[] args) throws Exception {
        LoadedClasses.loadAll();
        Semaphore pauses = new Semaphore(0);
        // Strong as long as this runs: the logging system itself would forget it.
        Logger logger = Logger.getLogger("io.accel");
        logger.addHandler(new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getMessage().contains("is tried again each")) {
                    pauses.release();
                }
            }

            @Override
            public void flush() {
                // nothing is kept
            }

            @Override
            public void close() {
                // nothing is open
            }
        });
        try (Lab lab = new Lab("low-cpu", Map.of("handshake.timeout", "60s"))) {
            lab.connect().close();
            rendezvousCpu();
            logger.info("descriptors run out");
            List<SocketChannel> clients = new ArrayList<>();
            Path rendezvous = lab.content().stream()
                    .filter(file -> file.getFileName().toString().equals("s"))
                    .findFirst()
                    .orElseThrow();
            // Opened before the descriptors run out, so that some can call when the listener has none left for them.
            for (int i = 0; i < LATE; i++) {
                clients.add(JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX));
            }
            await().pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1)) // for the listener to take its own descriptor for each
                    .atMost(Duration.ofSeconds(LIMIT_SECONDS))
                    .until(() -> !dial(rendezvous, clients));
            for (SocketChannel late : clients.subList(0, LATE)) {
                late.connect(UnixDomainSocketAddress.of(rendezvous));
            }
            // The collector may close idle selectors at any moment, and what that gives back suffices for all that have
            // called.
            await().pollInSameThread().atMost(Duration.ofSeconds(LIMIT_SECONDS)).until(() -> {
                while (dial(rendezvous, clients)) {
                    // takes the descriptors that have come back
                }
                return pauses.tryAcquire(AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            });
            long cpuBefore = rendezvousCpu();
            long before = System.nanoTime();
            System.out.println("said again " + pauses.tryAcquire(PAUSES_MILLIS, TimeUnit.MILLISECONDS));
            System.out.println("elapsed ms " + (System.nanoTime() - before) / 1_000_000);
            System.out.println("cpu ms " + (rendezvousCpu() - cpuBefore) / 1_000_000);
            for (SocketChannel client : clients) {
                client.close();
            }
            connectAgain(lab);
            System.out.println("connected again, " + Files.isDirectory(lab.dir));
        }
    }

    /** The rendezvous still has to find out that there are descriptors again. */
    private static void connectAgain(Lab lab) throws Exception {
        await().pollInSameThread().atMost(Duration.ofSeconds(LIMIT_SECONDS)).untilAsserted(() -> lab.connect()
                .close());
    }

    private static boolean dial(Path rendezvous, List<SocketChannel> clients) {
        try {
            SocketChannel client = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX);
            clients.add(client);
            client.connect(UnixDomainSocketAddress.of(rendezvous));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static long rendezvousCpu() {
        var threads = ManagementFactory.getThreadMXBean();
        for (long id : threads.getAllThreadIds()) {
            var info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().equals("accel-rendezvous")) {
                return threads.getThreadCpuTime(id);
            }
        }
        throw new AssertionError("no rendezvous thread");
    }
}
