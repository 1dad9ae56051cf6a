// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Logger;

/**
 * Runs in a JVM that may open few files: its program takes the last descriptor at the moment when it gets its first link, and needs one
 * more then.
 */
final class LastDescriptorProbe {
    /** All that the process may have. */
    private final List<FileInputStream> all = new ArrayList<>();

    private LastDescriptorProbe() {}

    public static void main(String[] args) throws Exception {
        LoadedClasses.loadAll();
        Logger.getLogger("io.accel").info("descriptors run out");
        LastDescriptorProbe probe = new LastDescriptorProbe();
        try (Lab lab = new Lab("balanced", Map.of("handover.idle", "forever"))) {
            lab.anchors = channel -> probe.greedy(new ChannelAnchor(channel));
            Lab.Pair pair = lab.connectOnly();
            Lab.awaitSettled(pair.client());
            Lab.awaitSettled(pair.server());
            probe.takeAll();
            IOException none = new IOException("Too many open files");
            Relief.again(none, () -> new FileInputStream("/dev/null"), lab.accelerator.waits())
                    .close();
            System.out.println("opened one more than " + (probe.all.size() > 1 ? "all" : "none"));
            for (FileInputStream each : probe.all) {
                each.close();
            }
            pair.close();
        }
    }

    private synchronized void takeAll() {
        try {
            while (true) {
                all.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            return; // there is none left
        }
    }

    /** The anchor, which takes all descriptors when Accel looks at it for its new link. */
    private Anchor greedy(Anchor anchor) {
        return (Anchor) Proxy.newProxyInstance(
                Anchor.class.getClassLoader(), new Class<?>[] {Anchor.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("failing")) {
                        takeAll();
                    }
                    try {
                        return method.invoke(anchor, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
