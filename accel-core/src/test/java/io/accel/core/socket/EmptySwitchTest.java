// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.core.poll.Poller;
import io.accel.testing.Background;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A writer that comes to the link and then writes nothing: the peer still meets the end, and what is written later. */
@Timeout(60)
class EmptySwitchTest {
    private static final Map<String, String> MOVED = Map.of("handover.after", "connect");

    /** What a writer does that has come to the link. */
    enum Writer {
        DOES_NOT_ENTER {
            @Override
            void use(LinkWriter writer) {}
        },
        LEAVES {
            @Override
            void use(LinkWriter writer) {
                writer.lock();
                writer.unlock();
            }
        },
        FINDS_ROOM {
            @Override
            void use(LinkWriter writer) throws Exception {
                writer.lock();
                try {
                    assertThat(writer.room(1)).isEqualTo(1);
                } finally {
                    writer.unlock();
                }
            }
        },
        FLUSHES_NOTHING {
            @Override
            void use(LinkWriter writer) throws Exception {
                writer.lock();
                try {
                    writer.flush();
                } finally {
                    writer.unlock();
                }
            }
        },
        WRITES_NOTHING {
            @Override
            void use(LinkWriter writer) throws Exception {
                writer.lock();
                try {
                    assertThat(writer.write(ByteBuffer.allocate(0))).isZero();
                } finally {
                    writer.unlock();
                }
            }
        },
        FAILS {
            @Override
            void use(LinkWriter writer) {
                writer.lock();
                try {
                    assertThatThrownBy(() -> writer.write(new ByteBuffer[] {null}, 0, 1))
                            .isInstanceOf(NullPointerException.class);
                } finally {
                    writer.unlock();
                }
            }
        },
        IS_INTERRUPTED {
            @Override
            void use(LinkWriter writer) {
                Thread.currentThread().interrupt();
                writer.lock();
                writer.unlock();
                assertThat(Thread.interrupted()).isTrue();
            }
        };

        abstract void use(LinkWriter writer) throws Exception;
    }

    /** A connection whose ends both have a link, over which no byte goes yet. */
    private static Lab.Pair connected(Lab lab) throws Exception {
        Lab.Pair pair = lab.connectOnly();
        Lab.awaitSettled(pair.client());
        Lab.awaitSettled(pair.server());
        return pair;
    }

    private static void switchWith(Writer how, StreamSocket socket) throws Exception {
        assertThat(hasSwitchedWith(how, socket)).isTrue();
    }

    /** Returns whether there was a link to switch to. */
    private static boolean hasSwitchedWith(Writer how, StreamSocket socket) throws Exception {
        LinkStream link = socket.outgoing().enter(true);
        if (link == null) {
            socket.outgoing().leave();
            return false;
        }
        how.use(link.writer());
        return true;
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void theEndComesToAReaderThatWaits(Writer how) throws Exception {
        try (Lab lab = new Lab("balanced", MOVED)) {
            Lab.Pair pair = connected(lab);
            Background<Integer> reader = Background.start(
                    () -> Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(1)));
            switchWith(how, pair.client());
            pair.client().shutdownOutput();
            assertThat(reader.get(20, TimeUnit.SECONDS)).isEqualTo(-1);
            pair.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void theEndWakesASelector(Writer how) throws Exception {
        try (Lab lab = new Lab("balanced", MOVED);
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = connected(lab);
            Lab.channel(pair.server()).configureBlocking(false);
            var unused = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            Background<Integer> polling = Streams.asleepIn(poller);
            switchWith(how, pair.client());
            pair.client().shutdownOutput();
            assertThat(polling.get(20, TimeUnit.SECONDS)).isEqualTo(SelectionKey.OP_READ);
            pair.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void aCloseIsAnEndInOrder(Writer how) throws Exception {
        try (Lab lab = new Lab("balanced", MOVED)) {
            Lab.Pair pair = connected(lab);
            switchWith(how, pair.client());
            Lab.close(pair.client());
            assertThat(Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(1)))
                    .isEqualTo(-1);
            pair.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void bytesThatAreWrittenLaterArrive(Writer how) throws Exception {
        try (Lab lab = new Lab("balanced", MOVED)) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = connected(lab);
            switchWith(how, pair.client());
            Streams.write(waits, pair.client(), ByteBuffer.allocate(7));
            ByteBuffer dst = ByteBuffer.allocate(8);
            assertThat(Streams.read(waits, pair.server(), dst)).isEqualTo(7);
            pair.client().shutdownOutput();
            assertThat(Streams.read(waits, pair.server(), dst)).isEqualTo(-1);
            pair.close();
        }
    }

    /** A connection that has switched, in spite of a machine that may give idle links back before that. */
    private static Lab.Pair switched(Lab lab, Writer how) throws Exception {
        while (true) {
            Lab.Pair pair = connected(lab);
            if (hasSwitchedWith(how, pair.client())) {
                return pair;
            }
            pair.close();
        }
    }

    /** Only a direction whose switch was announced can go back. */
    @ParameterizedTest
    @EnumSource(Writer.class)
    void anIdleLinkIsGivenBack(Writer how) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "connect", "handover.idle", "100ms"))) {
            Lab.Pair pair = switched(lab, how);
            Background<Integer> reader = Background.start(
                    () -> Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(9)));
            await().atMost(20, TimeUnit.SECONDS).until(() -> pair.client().attached() == null);
            await().atMost(20, TimeUnit.SECONDS).until(() -> lab.mappings() == 0);
            Streams.write(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(3));
            assertThat(reader.get(20, TimeUnit.SECONDS)).isEqualTo(3);
            pair.close();
        }
    }

    /** The peer's kernel would answer an announcement with a reset, and no byte of the program has gone there. */
    @Test
    void aPeerThatHasClosedIsNotTold() throws Exception {
        try (Lab lab = new Lab("balanced", MOVED)) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = connected(lab);
            LinkStream link = pair.client().outgoing().enter(true);
            assertThat(link).isNotNull();
            Lab.close(pair.server());
            Writer.LEAVES.use(link.writer());
            assertThat(link.writer().announcement().isMade()).isFalse();
            assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1)))
                    .isEqualTo(-1);
            pair.close();
        }
    }
}
