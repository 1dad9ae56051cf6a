// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A link of a datagram socket that goes to rest and becomes busy again, while its peer sends and two pollers of the socket fall
 * asleep. The pollers look only at busy links, and arm only these. Neither may sleep while there is a datagram.
 */
@Timeout(180) // it looks at all orders, and has half a minute of work on a slow machine
class RestingLinkModelTest {
    private static final int LAST = 2;

    // Shared words.
    private static final int PRODUCED = 0;
    private static final int SLEEPERS = 1;
    /** The doorbell has rung, and nobody has taken it. Both pollers have its descriptor. */
    private static final int BELL = 2;
    /** The link is one of those that are looked at. */
    private static final int BUSY = 3;
    /** DatagramLinks' monitor. */
    private static final int MONITOR = 4;
    /** Whether a poller was refreshed by the other. */
    private static final int[] TOLD = {5, 6};

    private static final int WORDS = 7;

    /** The mistakes, each of which the model has to find. */
    enum Mutation {
        NONE,
        /** The link rests unarmed. */
        NOT_ARMED,
        /** It is not looked at once more before it rests. */
        NO_SECOND_LOOK,
        /** It is looked at, and armed after that. */
        ARM_AFTER_LOOK,
        /** A link becomes busy while it is being sent to rest. */
        NO_MONITOR,
        /** The thread that takes the ring does not make the link busy. */
        RING_IGNORED,
        /** The thread that takes the ring does not refresh the other poller. */
        NO_REFRESH,
        /** It refreshes the other poller, and makes the link busy after that. */
        REFRESH_BEFORE_BUSY
    }

    @Test
    void neitherPollerSleepsOverADatagram() {
        assertThat(explore(Mutation.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void withoutAnyOneOfTheStepsAPollerCanMissIt(Mutation mutation) {
        Optional<List<String>> failure = explore(mutation);
        assertThat(failure).isPresent();
        assertThat(failure.orElseThrow()).last().asString().startsWith("STUCK");
    }

    private static Optional<List<String>> explore(Mutation mutation) {
        Program peer = new Program();
        send(peer, 1);
        send(peer, LAST);
        Program[] programs = {peer, receiver(mutation), poller(mutation, 0), poller(mutation, 1)};
        Explorer[] explorer = new Explorer[1];
        explorer[0] = new Explorer(memory -> explorer[0].areOver(memory), programs);
        Memory start = new Memory(WORDS, programs.length, 1);
        start.word(BUSY, 1);
        return explorer[0].explore(start, 1_000);
    }

    /** ShmLink.publish. */
    private static void send(Program peer, int number) {
        peer.store("send " + number, PRODUCED, number)
                .fence()
                .load("look for sleepers", SLEEPERS)
                .jumpIf(sleepers -> sleepers == 0, "sent " + number)
                .update("take the sleepers", SLEEPERS, old -> 0)
                .jumpIf(sleepers -> sleepers == 0, "sent " + number)
                .update("ring", BELL, old -> 1)
                .label("sent " + number);
    }

    /** DatagramLinks.restQuiet, which goes by the last datagram alone, and then a look at resting links. */
    private static Program receiver(Mutation mutation) {
        Program receiver = new Program();
        enter(receiver, mutation, "rest");
        if (mutation != Mutation.ARM_AFTER_LOOK && mutation != Mutation.NOT_ARMED) {
            receiver.update("arm before rest", SLEEPERS, old -> 1);
        }
        if (mutation != Mutation.NO_SECOND_LOOK) {
            receiver.load("look before rest", PRODUCED).jumpIf(a -> a == LAST, "stays");
        }
        if (mutation == Mutation.ARM_AFTER_LOOK) {
            receiver.update("arm before rest", SLEEPERS, old -> 1);
        }
        receiver.update("rest", BUSY, old -> 0).label("stays");
        leave(receiver, mutation);
        receiver.load("look at resting", PRODUCED).jumpIf(a -> a != LAST, "nothing");
        wake(receiver, mutation, "found");
        return receiver.label("nothing");
    }

    /** Poller.cool and sleep over DatagramSocket, then DatagramDoorbell.kernelReady. */
    private static Program poller(Mutation mutation, int me) {
        Program poller = new Program()
                .label("look")
                .load("busy?", BUSY)
                .jumpIf(a -> a == 0, "arm")
                .load("look", PRODUCED)
                .jumpIf(a -> a == LAST, "done")
                .label("arm")
                .load("busy, to be armed?", BUSY)
                .jumpIf(a -> a == 0, "look again")
                .update("arm", SLEEPERS, old -> 1)
                .label("look again")
                .load("busy, to be looked at?", BUSY)
                .jumpIf(a -> a == 0, "sleep")
                .load("look again", PRODUCED)
                .jumpIf(a -> a == LAST, "done")
                .label("sleep")
                .act("sleep", m -> m.word(BELL) != 0 || m.word(TOLD[me]) != 0, m -> m.word(TOLD[me], 0))
                .update("take the ring", BELL, old -> 0)
                .jumpIf(rung -> rung == 0, "look");
        if (mutation == Mutation.REFRESH_BEFORE_BUSY) {
            poller.update("refresh the other", TOLD[1 - me], old -> 1);
        }
        if (mutation != Mutation.RING_IGNORED) {
            wake(poller, mutation, "rung");
        }
        if (mutation != Mutation.NO_REFRESH && mutation != Mutation.REFRESH_BEFORE_BUSY) {
            poller.update("refresh the other", TOLD[1 - me], old -> 1);
        }
        return poller.jump("look").label("done");
    }

    private static void wake(Program program, Mutation mutation, String why) {
        enter(program, mutation, why);
        program.update("busy, " + why, BUSY, old -> 1);
        leave(program, mutation);
    }

    private static void enter(Program program, Mutation mutation, String label) {
        if (mutation != Mutation.NO_MONITOR) {
            program.label(label).compareAndSet("enter", MONITOR, 0, 1).jumpIf(a -> a == 0, label);
        }
    }

    private static void leave(Program program, Mutation mutation) {
        if (mutation != Mutation.NO_MONITOR) {
            program.update("leave", MONITOR, old -> 0);
        }
    }
}
