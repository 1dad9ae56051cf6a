// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The fuzzer finds a difference where there is one, and nothing where there is none. */
class FuzzerTest {
    private static final long SHRINK_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long SEED = 20_261_122L;
    private static final int PROGRAMS = 60;

    /** The JDK's provider, except for its clients, or its datagram channels. */
    private static class Wrong extends SelectorProvider {
        private final SelectorProvider right = Setting.jdk().client();

        SocketChannel spoil(SocketChannel channel) throws IOException {
            return channel;
        }

        DatagramChannel spoil(DatagramChannel channel) throws IOException {
            return channel;
        }

        @Override
        public SocketChannel openSocketChannel() throws IOException {
            return spoil(right.openSocketChannel());
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() throws IOException {
            return right.openServerSocketChannel();
        }

        @Override
        public AbstractSelector openSelector() throws IOException {
            return right.openSelector();
        }

        @Override
        public DatagramChannel openDatagramChannel() throws IOException {
            return spoil(right.openDatagramChannel());
        }

        @Override
        public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
            return spoil(right.openDatagramChannel(family));
        }

        @Override
        public Pipe openPipe() throws IOException {
            return right.openPipe();
        }
    }

    private static Fuzzer.Finding find(Fuzzer fuzzer, int programs) {
        Random seeds = new Random(SEED);
        List<Fuzzer.Finding> found = List.of();
        for (int i = 0; i < programs && found.isEmpty(); i++) {
            found = fuzzer.find(seeds.nextLong(), fuzzer.comparisons());
        }
        return found.isEmpty() ? null : found.get(0);
    }

    @ParameterizedTest
    @EnumSource
    void theJdkSaysWhatTheJdkSays(Kind kind) {
        Fuzzer fuzzer = new Fuzzer(kind.oracle(), List.of(kind.oracle()), kind, SHRINK_NANOS);
        assertThat(find(fuzzer, PROGRAMS)).isNull();
        Comparison comparison = fuzzer.comparisons().get(0);
        assertThat(comparison.programs()).isEqualTo(PROGRAMS);
        assertThat(comparison.ambiguous()).as("%s", comparison).isLessThan(PROGRAMS / 10);
    }

    @Test
    void aCloseThatIsAResetIsFound() {
        Setting wrong = Setting.of("resets", new Wrong() {
            @Override
            SocketChannel spoil(SocketChannel channel) throws IOException {
                return channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        });
        Fuzzer.Finding finding =
                find(new Fuzzer(Setting.jdk(), List.of(wrong), Kind.STREAMS, SHRINK_NANOS), 10 * PROGRAMS);
        assertThat(finding).isNotNull();
        assertThat(finding.program()).as("%s", finding).hasSizeLessThanOrEqualTo(4);
        assertThat(finding.toString()).contains("-Dfuzz.program=", "Connection reset");
    }

    @Test
    void aChannelInAnotherModeIsFound() {
        Setting wrong = Setting.of("not blocking", new Wrong() {
            @Override
            SocketChannel spoil(SocketChannel channel) throws IOException {
                channel.configureBlocking(false);
                return channel;
            }
        });
        Fuzzer.Finding finding =
                find(new Fuzzer(Setting.jdk(), List.of(wrong), Kind.STREAMS, SHRINK_NANOS), 10 * PROGRAMS);
        assertThat(finding).isNotNull();
        assertThat(finding.program()).as("%s", finding).hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void aDatagramThatIsLostIsFound() {
        Setting wrong = Setting.of("loses", new Wrong() {
            @Override
            DatagramChannel spoil(DatagramChannel channel) throws IOException {
                return channel.setOption(StandardSocketOptions.SO_RCVBUF, 1); // the kernel gives it a little more
            }
        });
        Fuzzer fuzzer = new Fuzzer(Setting.jdk(), List.of(wrong), Kind.DATAGRAMS, TimeUnit.SECONDS.toNanos(1));
        Fuzzer.Finding finding = find(fuzzer, 10 * PROGRAMS);
        assertThat(finding).isNotNull();
        assertThat(finding.toString()).contains("-Dfuzz.kind=DATAGRAMS -Dfuzz.program=", "finds {}");
    }

    private record HangsUnlessRight() implements Step {
        @Override
        public String run(World world) {
            while (!world.setting().name().equals("jdk")
                    && !Thread.currentThread().isInterrupted()) {
                LockSupport.park();
            }
            return "done";
        }
    }

    @Test
    void aProgramThatHangsIsADifference() {
        Setting wrong = Setting.of("hangs", Setting.jdk().client());
        Comparison.Difference difference =
                new Comparison(Setting.jdk(), wrong, 1).of(List.of(new HangsUnlessRight()), List.of("done"));
        assertThat(difference.first()).contains("but HANGS in");
    }

    @Test
    void aWrongByteIsSeen() {
        Direction direction = new Direction(3);
        ByteBuffer bytes = ByteBuffer.wrap(direction.next(10)).position(10);
        direction.sent(10);
        bytes.put(7, (byte) (bytes.get(7) + 1));
        assertThat(direction.received(bytes)).isEqualTo("WRONG from 7 on");
        assertThat(new Direction(3).received(ByteBuffer.wrap(direction.next(10)).position(10)))
                .as("what comes ten bytes too early")
                .isEqualTo("WRONG from 0 on");
    }
}
