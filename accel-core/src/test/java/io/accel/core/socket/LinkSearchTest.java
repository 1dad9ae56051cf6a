// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A search that has found a link which cannot be taken is over, whatever other fabrics there are: nothing of it is left. */
@Timeout(30)
class LinkSearchTest {
    private final InetSocketAddress there = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
    private int begun;
    private int ended;
    private int vain;
    private int over;

    @Test
    void anErrorAfterALinkWasFoundEndsTheSearch() throws IOException {
        Poller poller = new Poller(new PollConfig(0, 1, 1, 0, PollConfig.Yielding.NEVER));
        Pipe pipe = Pipe.open();
        try {
            pipe.source().configureBlocking(false);
            Fabric fabric = new Found(pipe.source());
            new Search(List.of(fabric, fabric).iterator()).begin(poller, () -> over++);
            assertThat(pipe.sink().write(ByteBuffer.allocate(1))).isOne();
            for (int i = 0; i < 100 && over == 0; i++) {
                int unused = poller.poll(TimeUnit.MILLISECONDS.toNanos(100), (registration, ops) -> {});
            }
            assertThat(over).as("told that the search is over").isOne();
            assertThat(vain).as("told that it is vain").isOne();
            assertThat(begun - ended).as("handshakes left").isZero();
        } finally {
            pipe.sink().close();
            pipe.source().close();
            poller.close();
        }
    }

    private final class Search extends LinkSearch {
        Search(Iterator<Fabric> fabrics) {
            super(fabrics);
        }

        @Override
        InetSocketAddress target() {
            return there;
        }

        @Override
        Connecting connect(Fabric next) throws IOException {
            return next.connect(there, null, 0);
        }

        @Override
        void found(Link link, String by, InetSocketAddress local) {
            throw new OutOfMemoryError("injected");
        }

        @Override
        void notFound(FallbackException reason) {
            vain++;
        }
    }

    /** A fabric that finds a link as soon as its channel can be read. */
    private final class Found implements Fabric {
        private final SelectableChannel channel;

        Found(SelectableChannel channel) {
            this.channel = channel;
        }

        @Override
        public String name() {
            return "found";
        }

        @Override
        public Connecting connect(InetSocketAddress destination, Source source, int ringSize) {
            begun++;
            return new Handshake();
        }

        @Override
        public Listening listen(InetSocketAddress bound, Acceptor acceptor) {
            throw new IllegalStateException("nobody listens");
        }

        private final class Handshake implements Connecting {
            @Override
            public SelectableChannel channel() {
                return channel;
            }

            @Override
            public long deadline() {
                return Long.MAX_VALUE;
            }

            @Override
            public boolean isPending() {
                return false;
            }

            @Override
            public InetSocketAddress local() {
                return there;
            }

            @Override
            public Link advance() {
                ended++;
                return (Link) Proxy.newProxyInstance(
                        Link.class.getClassLoader(), new Class<?>[] {Link.class}, (proxy, method, arguments) -> null);
            }

            @Override
            public void abort() {
                ended++;
            }
        }
    }
}
