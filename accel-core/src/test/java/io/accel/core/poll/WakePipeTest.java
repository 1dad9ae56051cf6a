// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WakePipeTest {
    private static final long LONG_MILLIS = 20_000;

    private final KernelEvents events = new KernelEvents();
    private Selector selector;
    private WakePipe pipe;

    @BeforeEach
    void open() throws IOException {
        selector = JdkAccess.kernelProvider().openSelector();
        pipe = WakePipe.open(selector, selector.provider());
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        pipe.close();
    }

    @Test
    void aSleepingSelectorIsWoken() throws Exception {
        FutureTask<Integer> select = new FutureTask<>(() -> selector.select(events, LONG_MILLIS));
        new Thread(select).start();
        assertThat(pipe.ring()).isTrue();
        assertThat(select.get(10, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(events.takeRung()).isSameAs(pipe);
        assertThat(events.hasAny()).as("news for a registration").isFalse();
    }

    @Test
    void aHundredRingsAreOneByte() throws IOException {
        for (int i = 0; i < 100; i++) {
            assertThat(pipe.ring()).isTrue();
        }
        assertThat(selector.selectNow(events)).isEqualTo(1);
        pipe.drain();
        assertThat(selector.selectNow(events)).isZero();
    }

    @Test
    void theNextRingWakesAnew() throws IOException {
        for (int i = 0; i < 3; i++) {
            assertThat(pipe.ring()).isTrue();
            assertThat(selector.selectNow(events)).isEqualTo(1);
            pipe.drain();
            assertThat(events.takeRung()).isSameAs(pipe);
            assertThat(events.takeRung()).isNull();
        }
    }

    /** The selector has to be woken by its own means then, each time. */
    @Test
    void aPipeThatHasFailedSaysSo() {
        pipe.close();
        assertThat(pipe.ring()).isFalse();
        assertThat(pipe.ring()).isFalse();
    }

    @Test
    void withoutDescriptorsThereIsNoPipe() {
        assertThat(WakePipe.open(selector, new Pipes(null))).isNull();
    }

    @Test
    void aPipeThatCannotBeWatchedIsClosed() throws IOException {
        Pipe closed = selector.provider().openPipe();
        closed.source().close();
        assertThat(WakePipe.open(selector, new Pipes(closed))).isNull();
        assertThat(closed.sink().isOpen()).isFalse();
    }

    /** Opens one pipe, or none. */
    private static final class Pipes extends SelectorProvider {
        private final Pipe only;

        private Pipes(Pipe only) {
            this.only = only;
        }

        @Override
        public Pipe openPipe() throws IOException {
            if (only == null) {
                throw new IOException("Too many open files");
            }
            return only;
        }

        @Override
        public DatagramChannel openDatagramChannel() {
            throw new UnsupportedOperationException();
        }

        @Override
        public DatagramChannel openDatagramChannel(ProtocolFamily family) {
            throw new UnsupportedOperationException();
        }

        @Override
        public AbstractSelector openSelector() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketChannel openSocketChannel() {
            throw new UnsupportedOperationException();
        }
    }
}
