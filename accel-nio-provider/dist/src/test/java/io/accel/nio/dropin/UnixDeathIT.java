// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process at one end of a Unix-domain stream is killed. The other end is told of it as the kernel tells it: by a reset if the dead process
 * had bytes unread, and by the end if it had read everything, each behind the last byte that it sent.
 */
@Timeout(120)
class UnixDeathIT {
    private static final String RESET = "Connection reset";
    private static final String END = "end";
    /** Less than a quarter of a ring, by which a reader gives space back. */
    private static final int SOME = 300;

    @TempDir
    private Path dir;

    /** Who listens, what each end does before the death, and how many bytes the survivor then reads before what it is told. */
    static Stream<Arguments> deaths() {
        return Stream.of(true, false)
                .flatMap(listens -> Stream.of(
                        Arguments.of(listens, List.of(), List.of(), 0, END),
                        Arguments.of(listens, List.of("write " + SOME), List.of("read " + SOME), 0, END),
                        Arguments.of(listens, List.of("write " + SOME), List.of("read " + (SOME - 1)), 0, RESET),
                        Arguments.of(listens, List.of("write 1"), List.of("write " + SOME), SOME, RESET),
                        Arguments.of(listens, List.of("write 1"), List.of("write " + SOME, "shut"), SOME, RESET),
                        Arguments.of(listens, List.of("write 1", "shut"), List.of("write " + SOME), SOME, RESET)));
    }

    /** The oracle, to which it makes no difference who listens. */
    static Stream<Arguments> kernelsDeaths() {
        return deaths().filter(death -> death.get()[0].equals(true));
    }

    @ParameterizedTest
    @MethodSource("kernelsDeaths")
    void throughTheKernel(boolean listens, List<String> survivors, List<String> victims, int left, String told)
            throws Exception {
        assertTold(false, listens, survivors, victims, left, told);
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void overSharedMemory(boolean listens, List<String> survivors, List<String> victims, int left, String told)
            throws Exception {
        assertTold(true, listens, survivors, victims, left, told);
    }

    /** What came over the ring was all read. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true"})
    void unreadIsWhatCameThroughTheKernel(boolean accel, boolean listens) throws Exception {
        try (Talk talk = new Talk(accel, listens)) {
            talk.exchange(talk.survivor, talk.victim); // without which a client does not ask for a link
            talk.survivor.does("write 1");
            talk.talkUntilAccelerated(() -> talk.exchange(talk.victim, talk.survivor));
            talk.assertTold(0, RESET);
        }
    }

    private void assertTold(
            boolean accel, boolean listens, List<String> survivors, List<String> victims, int left, String told)
            throws Exception {
        try (Talk talk = new Talk(accel, listens)) {
            talk.talkUntilAccelerated(() -> {
                talk.exchange(talk.survivor, talk.victim);
                talk.exchange(talk.victim, talk.survivor);
            });
            for (String step : survivors) {
                talk.survivor.does(step);
            }
            for (String step : victims) {
                talk.victim.does(step);
            }
            talk.assertTold(left, told);
        }
    }

    private interface Exchange {
        void run() throws Exception;
    }

    /** Two processes at the ends of a stream. */
    private final class Talk implements AutoCloseable {
        private static final int MOST = 10_000;
        private static final int MORE = 10;

        private final boolean accel;
        private final End survivor;
        private final End victim;

        Talk(boolean accel, boolean listens) throws Exception {
            this.accel = accel;
            Path socket = Files.createTempDirectory(dir, "unix").resolve("socket");
            End server = new End(command(accel, "listen", socket));
            server.child.awaitOutput("listening");
            End client = new End(command(accel, "connect", socket));
            survivor = listens ? server : client;
            victim = listens ? client : server;
        }

        /** Repeats an exchange until both ends have a link, and some more then: a direction moves by a write. */
        void talkUntilAccelerated(Exchange exchange) throws Exception {
            boolean isLink = !accel;
            for (int i = 0; !isLink; i++) {
                assertThat(i).as("exchanges through the kernel").isLessThan(MOST);
                exchange.run();
                isLink = survivor.does("kernel").equals("false")
                        && victim.does("kernel").equals("false");
            }
            for (int more = 0; more < MORE; more++) {
                exchange.run();
            }
        }

        void exchange(End from, End to) throws Exception {
            from.does("write 1");
            to.does("read 1");
        }

        /** Kills the victim, and looks what the survivor reads then. */
        void assertTold(int left, String told) throws Exception {
            victim.child.close();
            assertThat(survivor.does("rest"))
                    .isEqualTo(left + " bytes, " + String.join(" ", List.of(told, told, told)));
        }

        @Override
        public void close() {
            survivor.child.close();
            victim.child.close();
        }
    }

    private List<String> command(boolean accel, String role, Path socket) {
        List<String> options =
                new ArrayList<>(List.of("-cp", Child.testClasses().toString()));
        if (accel) {
            options.addAll(List.of("-javaagent:" + Child.JAR, "-Daccel.shm.dir=" + dir));
        }
        return Child.accelerated(
                Path.of(System.getProperty("java.home")), options, UnixEnd.class, role, socket.toString());
    }

    /** One of the processes. */
    private final class End {
        private final Child child;
        private int told;

        End(List<String> command) throws Exception {
            child = Child.start(dir, command);
        }

        /** What it answers to a line. */
        String does(String line) throws Exception {
            child.send(line);
            told++;
            return child.awaitRest(told + ": ");
        }
    }
}
