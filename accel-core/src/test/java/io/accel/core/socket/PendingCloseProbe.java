// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.DescriptorShare;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Logger;

/**
 * Runs in a JVM that may open few files: all descriptors are taken, and Accel has just given its last one back, which a selector has yet to
 * close.
 */
final class PendingCloseProbe {
    /** Longer than a selector may take. */
    private static final int OVER_MILLIS = 1_200;

    private static final int SOON_MILLIS = 100;

    private PendingCloseProbe() {}

    public static void main(String[] args) throws Exception {
        LoadedClasses.loadAll();
        Logger.getLogger("io.accel").info("descriptors run out");
        IOException none = new IOException("Too many open files");
        try (Lab lab = new Lab("balanced", Map.of())) {
            BlockingWaits waits = lab.accelerator.waits();
            System.out.println("with some left " + Relief.after(none, waits, Relief.HARDLY_NANOS, 1));
            if (DescriptorShare.taken() > 0 || !DescriptorShare.tryTake(1)) {
                throw new AssertionError("Accel has " + DescriptorShare.taken() + " descriptors");
            }
            List<FileInputStream> all = new ArrayList<>();
            takeAll(all);
            DescriptorShare.giveBack();
            System.out.println("about to be closed " + Relief.after(none, waits, Relief.HARDLY_NANOS, 1));
            Thread selector = new Thread(() -> closeSoon(all.get(0)), "selector");
            selector.start();
            System.out.println("closed meanwhile " + Relief.after(none, waits, Relief.PATIENCE_NANOS, 1));
            selector.join();
            takeAll(all);
            Thread.sleep(OVER_MILLIS);
            System.out.println("never closed " + Relief.after(none, waits, Relief.PATIENCE_NANOS, 1));
            for (FileInputStream each : all) {
                each.close();
            }
        }
    }

    private static void takeAll(List<FileInputStream> all) {
        try {
            while (true) {
                all.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            return; // there is no other
        }
    }

    private static void closeSoon(FileInputStream one) {
        try {
            Thread.sleep(SOON_MILLIS);
            one.close();
        } catch (InterruptedException | IOException e) {
            throw new AssertionError("a descriptor stayed", e);
        }
    }
}
