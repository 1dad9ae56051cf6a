// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Fabric;
import io.accel.nio.AccelSelectorProvider;
import io.accel.nio.GuisedProvider;
import io.accel.profile.Profile;
import io.accel.testing.DirectoryContent;
import io.accel.testing.InjectedErrors;
import io.accel.testing.InjectedErrors.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An error at any call into a link or a fabric costs datagrams at most, whichever thread makes the call: those that follow arrive, by the link
 * or through the kernel, and other peers notice nothing, and no link is left. As soon as it is over, both ends find to a link. A want of
 * memory or stack comes once, since it says nothing about what met it.
 */
@Timeout(120)
class AnyDatagramCallFailsTest {
    private static final int[] ONCE = {1};
    private static final int[] ONCE_AND_FOR_GOOD = {1, 1_000_000};
    private static final int TRIPS = 30;
    /** A link is there within a few milliseconds, and has made each of its usual calls. */
    private static final long EXPECTED_MILLIS = 100;

    /** Some of the calls that each kind of threads makes, without which a run would show nothing. */
    private static final Map<Caller, Set<String>> AT_LEAST = Map.of(
            Caller.SELECT, Set.of("Link.published", "Link.arm", "Link.drainDoorbell"),
            Caller.OPERATION, Set.of("Link.publish", "Link.published", "Link.released", "Link.peerState"),
            Caller.DATAGRAM_PATHS, Set.of("Fabric.connect", "Connecting.advance", "Link.sendRing"),
            Caller.RENDEZVOUS, Set.of("Acceptor.reserve", "Acceptor.offered", "Link.sendRing", "Link.isRemote"));

    private final InjectedErrors errors = new InjectedErrors();

    static Stream<Arguments> everybody() {
        return Stream.of(Kind.values())
                .flatMap(kind -> AT_LEAST.keySet().stream().sorted().map(caller -> Arguments.of(caller, kind)));
    }

    @ParameterizedTest(name = "{1} in {0}")
    @MethodSource("everybody")
    void thatCostsDatagramsAtMost(Caller caller, Kind kind) throws Exception {
        Path parent = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("/tmp");
        Path dir = Files.createTempDirectory(parent, "accel-test-");
        AccelSelectorProvider provider = GuisedProvider.open(
                Profile.load(
                        "low-cpu",
                        Map.of(
                                "shm.dir", dir.toString(),
                                "fabric.order", "shm",
                                "datagram.idle", "10s",
                                "datagram.ring-size", "128KiB",
                                "datagram.retry", "5ms")),
                fabric -> errors.over(Fabric.class, fabric));
        try (DatagramEcho server = new DatagramEcho(provider);
                DatagramTalker beside = new DatagramTalker(provider, server)) {
            beside.talk(TRIPS);
            for (String call : calls(caller, provider, server)) {
                for (int times : mayPass(kind) ? ONCE : ONCE_AND_FOR_GOOD) {
                    String what = kind + ", " + times + " of " + call + " in " + caller;
                    try {
                        fail(caller, call, kind, times, provider, server);
                        beside.talk(1);
                    } catch (Throwable e) {
                        addFirst(e);
                        throw new AssertionError(what + ": " + e, e);
                    }
                    assertThat(server.surprises).as(what).isEmpty();
                    assertThat(errors.misuse()).as(what).isEmpty();
                }
            }
            beside.talkUntilLinked();
        }
        await("the end of all").atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
            assertThat(errors.linksOut()).as("links").isZero();
            assertThat(DirectoryContent.ofListeners(dir)).isEmpty();
        });
        DirectoryContent.remove(dir);
    }

    /** The calls that these threads make. */
    private Set<String> calls(Caller caller, AccelSelectorProvider provider, DatagramEcho server) {
        Set<String> least = AT_LEAST.get(caller);
        Set<String> calls = new TreeSet<>();
        await("the calls of %s".formatted(caller)).atMost(20, TimeUnit.SECONDS).until(() -> {
            errors.aimAtNew();
            errors.watch(caller::isCurrent);
            try (DatagramTalker none = new DatagramTalker(provider, server)) {
                none.talkUntilLinked();
                none.talkUntil(() -> errors.met().containsAll(least), EXPECTED_MILLIS);
            }
            calls.addAll(errors.met());
            errors.disarm();
            return calls.containsAll(least);
        });
        return calls;
    }

    /** Has a call fail while a client talks, which then goes on, and comes to a link again. */
    private void fail(
            Caller caller, String call, Kind kind, int times, AccelSelectorProvider provider, DatagramEcho server)
            throws IOException {
        boolean isCertain = AT_LEAST.get(caller).contains(call);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        do {
            errors.aimAtNew();
            errors.arm(caller::isCurrent, call::equals, kind, 1, times);
            try (DatagramTalker victim = new DatagramTalker(provider, server)) {
                victim.talkUntil(() -> errors.where() != null, EXPECTED_MILLIS);
                victim.talk(TRIPS);
                errors.disarm();
                victim.talkUntilLinked();
            } finally {
                errors.disarm();
            }
        } while (isCertain && errors.where() == null && System.nanoTime() - end < 0);
        if (isCertain) {
            assertThat(errors.where()).as("the call that has failed").isEqualTo(call);
        }
    }

    private static boolean mayPass(Kind kind) {
        return kind == Kind.MEMORY || kind == Kind.STACK;
    }

    /** Adds where the first error came from. */
    private void addFirst(Throwable e) {
        Throwable first = errors.first();
        if (first != null) {
            e.addSuppressed(first);
        }
    }
}
