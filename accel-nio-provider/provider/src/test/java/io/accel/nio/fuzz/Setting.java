// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.AccelSelectorProvider;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The provider of a program's channels.
 *
 * @param name its name in reports
 * @param client opens clients
 * @param server opens listeners
 * @param selectors opens selectors, which must take the channels of both
 * @param mustMove whether a connection that was accepted, or datagrams that were exchanged for some time, must have left the kernel's path
 * @param isUnix whether streams are of Unix-domain sockets
 */
record Setting(
        String name,
        SelectorProvider client,
        SelectorProvider server,
        SelectorProvider selectors,
        boolean mustMove,
        boolean isUnix) {
    private static final String RING = "64KiB";

    Setting(
            String name,
            SelectorProvider client,
            SelectorProvider server,
            SelectorProvider selectors,
            boolean mustMove) {
        this(name, client, server, selectors, mustMove, false);
    }

    Selector openSelector() throws IOException {
        return selectors.openSelector();
    }

    /** The oracle. */
    static Setting jdk() {
        return of("jdk", JdkAccess.kernelProvider());
    }

    /** The same for Unix-domain sockets, whose connections may wait for more traffic before they move. */
    private Setting unix() {
        return new Setting(name, client, server, selectors, false, true);
    }

    /** The oracle for Unix-domain sockets. */
    static Setting jdkUnix() {
        return jdk().unix();
    }

    static Setting of(String name, SelectorProvider provider) {
        return new Setting(name, provider, provider, provider, false);
    }

    /**
     * Accel's settings: moved when the connection is made; moved at once, after some operations, or back and forth, at any time;
     * with a peer without Accel.
     */
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

    /** Like {@link #accel()}, for Unix-domain sockets. */
    static List<Setting> accelUnix() {
        SelectorProvider jdk = JdkAccess.kernelProvider();
        SelectorProvider atOnce = unix("low-cpu", "0");
        return Stream.of(
                        of("at once", atOnce),
                        of("at once, spinning", unix("latency", "0")),
                        of("after 3", unix("low-cpu", "3/4KiB")),
                        of("back and forth", unix("balanced", "random")),
                        of("kernel", unix("balanced", "1000000/1GiB")),
                        new Setting("client alone", atOnce, jdk, atOnce, false),
                        new Setting("server alone", jdk, atOnce, atOnce, false))
                .map(Setting::unix)
                .toList();
    }

    private static SelectorProvider unix(String preset, String after) {
        return provider(preset, Map.of("handover.after", after, "unix.streams", "true"));
    }

    private static SelectorProvider provider(String preset, String after) {
        return provider(preset, Map.of("handover.after", after));
    }

    private static SelectorProvider provider(String preset, Map<String, String> more) {
        Map<String, String> keys = new HashMap<>(Map.of(
                "ring.size", RING,
                "fabric.order", "shm",
                "connect.probe-timeout", "10s",
                "handshake.timeout", "20s"));
        keys.putAll(more);
        return new AccelSelectorProvider(Profile.load(preset, keys));
    }

    /**
     * Accel's settings that differ for datagrams: the way in which a receiver waits, the size and number of rings, and a peer
     * without Accel.
     */
    static List<Setting> accelDatagrams() {
        SelectorProvider jdk = JdkAccess.kernelProvider();
        Map<String, String> soon = Map.of("datagram.retry", "1ms", "handover.after", "0");
        SelectorProvider balanced = provider("balanced", soon);
        SelectorProvider usual = provider("balanced", Map.of("datagram.retry", "1ms"));
        SelectorProvider asleep = provider("low-cpu", soon);
        SelectorProvider spinning = provider("latency", soon);
        SelectorProvider small = provider("balanced", Map.of("datagram.ring-size", "128KiB", "handover.after", "0"));
        return List.of(
                new Setting("balanced", balanced, balanced, balanced, true),
                of("the kernel's at first", usual),
                new Setting("no spin", asleep, asleep, asleep, true),
                new Setting("spin", spinning, spinning, spinning, true),
                new Setting("small rings", small, small, small, true),
                of(
                        "one peer",
                        provider(
                                "low-cpu",
                                Map.of("datagram.peers-max", "1", "datagram.retry", "1ms", "handover.after", "0"))),
                new Setting("some alone", balanced, jdk, balanced, false));
    }

    /** Accel's settings for buffers that fail: moved when the connection is made, in the middle, back and forth, or not. */
    static List<Setting> accelBuffers() {
        SelectorProvider jdk = JdkAccess.kernelProvider();
        SelectorProvider connect = buffers("balanced", "connect");
        SelectorProvider asleep = buffers("low-cpu", "connect");
        return List.of(
                new Setting("connect", connect, connect, connect, true),
                of("at once", buffers("low-cpu", "0")),
                new Setting("connect, no spin", asleep, asleep, asleep, true),
                of("back and forth", buffers("balanced", "random")),
                of("kernel", buffers("balanced", "1000000/1GiB")),
                new Setting("client alone", connect, jdk, connect, false));
    }

    private static SelectorProvider buffers(String preset, String after) {
        return provider(preset, Map.of("handover.after", after, "datagram.retry", "1ms"));
    }
}
