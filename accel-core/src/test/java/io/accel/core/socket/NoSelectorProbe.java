// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.awaitility.Awaitility.await;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.awaitility.core.ConditionTimeoutException;

/** Runs in a JVM that may open few files: a thread that finds no descriptor to sleep with waits nevertheless. */
final class NoSelectorProbe {
    private static final int LIMIT_SECONDS = 20;
    private static final Duration QUIET = Duration.ofMillis(100);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration POLL = Duration.ofMillis(20);

    private NoSelectorProbe() {}

    public static void main(String[] args) throws Exception {
        LoadedClasses.loadAll();
        // Never looks before it sleeps, and so needs a selector at once.
        try (Lab lab = new Lab("low-cpu", Map.of())) {
            boolean hasNapped = false;
            while (!hasNapped) {
                hasNapped = tryOnce(lab);
            }
        }
    }

    /** Returns false if others gave descriptors back in the middle, or the connection its link, for want of descriptors. */
    private static boolean tryOnce(Lab lab) throws Exception {
        BlockingWaits waits = lab.accelerator.waits();
        Lab.Pair pair = lab.connectOnly();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(1));
        read(waits, pair.server()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        Logger.getLogger("io.accel").info("descriptors run out");
        await().until(() -> !isAnybodyNapping());
        // Otherwise the descriptors that are given back in the middle would be enough for a selector.
        Lab.awaitSettled(pair.client());
        Lab.awaitSettled(pair.server());
        waits.closeIdle(); // the first read may have slept
        List<FileInputStream> all = takeAllDescriptors();
        FutureTask<Integer> reading = read(waits, pair.server());
        boolean hasNapped = napsSoon(reading);
        Streams.write(waits, pair.client(), ByteBuffer.allocate(1));
        int found = reading.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        for (FileInputStream each : all) {
            each.close();
        }
        if (hasNapped) {
            System.out.println("without a selector read " + found);
            FutureTask<Integer> again = read(waits, pair.server());
            Streams.write(waits, pair.client(), ByteBuffer.allocate(1));
            System.out.println("with descriptors read " + again.get(LIMIT_SECONDS, TimeUnit.SECONDS));
        }
        pair.close();
        return hasNapped;
    }

    private static boolean isAnybodyNapping() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().equals(BlockingWaits.class.getName())
                        && frame.getMethodName().equals("nap"));
    }

    /** On a thread that has never slept. */
    private static FutureTask<Integer> read(BlockingWaits waits, StreamSocket socket) {
        return Streams.start(() -> Streams.read(waits, socket, ByteBuffer.allocate(8)));
    }

    private static boolean napsSoon(FutureTask<Integer> reading) {
        try {
            await().atMost(SOON).pollInterval(POLL).until(() -> reading.isDone() || isAnybodyNapping());
        } catch (ConditionTimeoutException e) {
            return false;
        }
        return !reading.isDone();
    }

    /** Takes also the descriptors that others give back meanwhile. */
    private static List<FileInputStream> takeAllDescriptors() {
        List<FileInputStream> all = new ArrayList<>();
        await().pollDelay(Duration.ZERO).pollInterval(QUIET).until(() -> {
            int before = all.size();
            takeAll(all);
            return all.size() == before;
        });
        return all;
    }

    private static void takeAll(List<FileInputStream> all) {
        try {
            while (true) {
                all.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            return; // there is none left
        }
    }
}
