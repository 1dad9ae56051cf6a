// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import io.accel.testing.InjectedErrors.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An error at any call into a link or a fabric ends one connection at most, whichever thread makes the call. */
@Timeout(120)
class AnyCallFailsTest {
    /** Some of the calls that each kind of threads makes, without which a run would show nothing. */
    static final Map<Caller, Set<String>> AT_LEAST = Map.of(
            Caller.SELECT, Set.of("Link.peerState", "Link.published", "Link.arm", "Link.drainDoorbell"),
            Caller.WAIT, Set.of("Link.peerState", "Link.published", "Link.arm", "Link.drainDoorbell"),
            Caller.CLOSE, Set.of("Link.signal", "Link.publishedHere", "Link.free"),
            Caller.OPERATION, Set.of("Link.publish", "Link.published", "Link.released", "Link.consumed"),
            Caller.GROUP, Set.of("Link.publish", "Link.published", "Link.arm", "Link.drainDoorbell", "Link.free"),
            Caller.HANDOVER, Set.of("Link.takeIn", "Link.peerState", "Link.released"),
            Caller.SEARCH, Set.of("Fabric.connect", "Connecting.advance", "Link.signal", "Source.bind"),
            Caller.RENDEZVOUS, Set.of("Acceptor.reserve", "Acceptor.offered", "Acceptor.isSettled", "Link.sendRing"));

    static Stream<Arguments> everybody() {
        return Stream.of(
                Arguments.of(Echo.Way.SELECTOR, Caller.SELECT),
                Arguments.of(Echo.Way.SELECTOR, Caller.CLOSE),
                Arguments.of(Echo.Way.SELECTOR, Caller.OPERATION),
                Arguments.of(Echo.Way.SELECTOR, Caller.HANDOVER),
                Arguments.of(Echo.Way.SELECTOR, Caller.SEARCH),
                Arguments.of(Echo.Way.SELECTOR, Caller.RENDEZVOUS),
                Arguments.of(Echo.Way.GROUP, Caller.GROUP),
                Arguments.of(Echo.Way.BLOCKING, Caller.WAIT));
    }

    @ParameterizedTest(name = "{1} of {0}")
    @MethodSource("everybody")
    void thatConcernsNobodyElse(Echo.Way way, Caller caller) throws Exception {
        failEach(way, caller, AT_LEAST.get(caller));
    }

    /** Has each call fail with one kind of errors, and the next call with the next kind. */
    private static void failEach(Echo.Way way, Caller caller, Set<String> least) throws Exception {
        Kind[] inTurn = Kind.values();
        try (ErrorRun run = new ErrorRun(way, caller)) {
            Set<String> calls = run.calls(least);
            assertThat(calls).as("the calls of %s", run).containsAll(least);
            int turn = caller.name().length(); // so that not all begin with the same kind
            for (String call : calls) {
                run.fail(call, inTurn[turn++ % inTurn.length], least.contains(call));
            }
            assertThat(run.hit).as("the calls that have failed").containsAll(least);
        }
    }

    static Stream<Path> jdksWithVirtualThreads() {
        return TruncatedLinkTest.jdks();
    }

    /** Of threads that the release does not have for which the tests are compiled. */
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("jdksWithVirtualThreads")
    void thatConcernsNobodyElseOnVirtualThreads(Path jdk) {
        try (Child child = new ChildJvm(Program.class).on(jdk).start("VIRTUAL", "WAIT")) {
            assertThat(child.awaitExit(Duration.ofSeconds(100)))
                    .as(child.output())
                    .isZero();
        }
    }

    /** Runs in another JVM. Its arguments are ways and callers in turn. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            for (int i = 0; i < args.length; i += 2) {
                Caller caller = Caller.valueOf(args[i + 1]);
                failEach(Echo.Way.valueOf(args[i]), caller, AT_LEAST.getOrDefault(caller, Set.of()));
                System.out.println(caller + " of " + args[i]);
            }
        }
    }
}
