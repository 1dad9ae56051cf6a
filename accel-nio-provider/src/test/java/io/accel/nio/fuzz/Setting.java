package io.accel.nio.fuzz;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.AccelSelectorProvider;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;

/**
 * Whose channels a program uses.
 *
 * @param name what it is called in reports
 * @param client opens clients
 * @param server opens listeners
 * @param selectors opens selectors, which must take the channels of both
 * @param mustMove whether a connection that was accepted has left the kernel's path
 */
record Setting(
        String name, SelectorProvider client, SelectorProvider server, SelectorProvider selectors, boolean mustMove) {
    private static final String RING = "64KiB";

    Selector openSelector() throws IOException {
        return selectors.openSelector();
    }

    /** The oracle. */
    static Setting jdk() {
        return of("jdk", JdkAccess.kernelProvider());
    }

    static Setting of(String name, SelectorProvider provider) {
        return new Setting(name, provider, provider, provider, false);
    }

    /** Accel's: moved when it is there; moved at once, after some operations, or back and forth, whenever that happens; with a peer without Accel. */
    static List<Setting> accel() {
        SelectorProvider jdk = JdkAccess.kernelProvider();
        SelectorProvider connect = provider("balanced", "connect");
        SelectorProvider asleep = provider("low-cpu", "connect");
        SelectorProvider atOnce = provider("low-cpu", "0");
        return List.of(
                new Setting("connect", connect, connect, connect, true),
                new Setting("connect, no spin", asleep, asleep, asleep, true),
                of("at once", atOnce),
                of("after 2", provider("balanced", "2/64KiB")),
                of("after 3", provider("low-cpu", "3/4KiB")),
                of("after 5", provider("latency", "5/64KiB")),
                of("back and forth", provider("balanced", "random")),
                of("kernel", provider("balanced", "1000000/1GiB")),
                new Setting("client alone", atOnce, jdk, atOnce, false),
                new Setting("server alone", jdk, atOnce, atOnce, false));
    }

    private static SelectorProvider provider(String preset, String after) {
        return new AccelSelectorProvider(Profile.load(
                preset,
                Map.of(
                        "handover.after", after,
                        "ring.size", RING,
                        "fabric.order", "shm",
                        "connect.probe-timeout", "10s",
                        "handshake.timeout", "20s")));
    }
}
