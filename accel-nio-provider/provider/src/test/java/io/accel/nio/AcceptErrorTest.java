// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.profile.Profile;
import io.accel.testing.ClientsEnd;
import io.accel.testing.InjectedErrors.Kind;
import io.accel.testing.NthCall;
import io.accel.testing.OverChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory runs out between the JDK's accept and Accel's channel, at each place where the JDK's channel is asked for something. */
@Timeout(60)
class AcceptErrorTest {
    private final NthCall calls = new NthCall();
    private SocketChannel last;

    @Test
    void aConnectionThatNoProgramGetsIsReset() throws IOException {
        AccelSelectorProvider provider =
                new AccelSelectorProvider(Profile.load("balanced", Map.of("rule.1", "kernel * *:*")));
        try (ServerSocketChannel kernel = provider.kernel()
                        .openServerSocketChannel()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                ServerSocketChannel listener = AccelServerSocketChannel.over(provider, new Listener(kernel), false)) {
            int failures = 0;
            for (int nth = 1; ; nth++) {
                calls.fail(nth);
                try (SocketChannel client = provider.kernel().openSocketChannel()) {
                    client.connect(kernel.getLocalAddress());
                    try (SocketChannel accepted = listener.accept()) {
                        assertThat(accepted).isNotNull();
                        break;
                    } catch (OutOfMemoryError e) {
                        assertThat(e).hasMessage(Kind.MEMORY.message());
                        failures++;
                        assertThat(last.isOpen()).as("call %s", nth).isFalse();
                        assertThat(ClientsEnd.isMet(client))
                                .as("the client is told")
                                .isTrue();
                    }
                }
            }
            assertThat(failures).isPositive();
        }
    }

    /** An accepted channel one of whose calls fails. */
    private final class Accepted extends OverChannel {
        Accepted(SocketChannel socket) {
            super(socket);
        }

        @Override
        public boolean isConnected() {
            calls.failIfDue();
            return super.isConnected();
        }

        @Override
        public <T> T getOption(SocketOption<T> name) throws IOException {
            calls.failIfDue();
            return super.getOption(name);
        }

        @Override
        public SocketAddress getRemoteAddress() throws IOException {
            calls.failIfDue();
            return super.getRemoteAddress();
        }

        @Override
        public SocketAddress getLocalAddress() throws IOException {
            calls.failIfDue();
            return super.getLocalAddress();
        }
    }

    private final class Listener extends ServerSocketChannel {
        private final ServerSocketChannel listener;

        Listener(ServerSocketChannel listener) {
            super(listener.provider());
            this.listener = listener;
        }

        @Override
        public SocketChannel accept() throws IOException {
            last = new Accepted(listener.accept());
            return last;
        }

        @Override
        public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
            listener.bind(local, backlog);
            return this;
        }

        @Override
        public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
            listener.setOption(name, value);
            return this;
        }

        @Override
        public <T> T getOption(SocketOption<T> name) throws IOException {
            return listener.getOption(name);
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return listener.supportedOptions();
        }

        @Override
        public ServerSocket socket() {
            return listener.socket();
        }

        @Override
        public SocketAddress getLocalAddress() throws IOException {
            return listener.getLocalAddress();
        }

        @Override
        protected void implCloseSelectableChannel() throws IOException {
            listener.close();
        }

        @Override
        protected void implConfigureBlocking(boolean block) throws IOException {
            listener.configureBlocking(block);
        }
    }
}
