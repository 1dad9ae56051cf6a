// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Accelerator;
import io.accel.core.socket.GuisedFabrics;
import io.accel.profile.Profile;
import io.accel.testing.ClientsEnd;
import io.accel.testing.InjectedErrors.Kind;
import io.accel.testing.NthCall;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory runs out between the JDK's accept and the socket's implementation, at each place where the JDK's socket is asked for something. */
@Timeout(60)
class AcceptErrorTest {
    private final NthCall calls = new NthCall();
    private Socket last;

    @Test
    void aConnectionThatNoProgramGetsIsReset() throws IOException {
        Accelerator accelerator = GuisedFabrics.accelerator(
                Profile.load("balanced", Map.of("rule.1", "kernel * *:*")), UnaryOperator.identity());
        Listener kernel = new Listener();
        AccelServerSocketImpl listener = new AccelServerSocketImpl(accelerator, kernel);
        listener.create(true);
        listener.bind(InetAddress.getLoopbackAddress(), 0);
        listener.listen(50);
        try {
            int failures = 0;
            for (int nth = 1; ; nth++) {
                calls.fail(nth);
                AccelSocketImpl accepted = (AccelSocketImpl) listener.get();
                try (SocketChannel client = JdkAccess.kernelProvider().openSocketChannel()) {
                    client.connect(kernel.local());
                    try {
                        listener.accept(accepted);
                        assertThat(client.write(ByteBuffer.wrap(new byte[] {7})))
                                .isEqualTo(1);
                        assertThat(accepted.getInputStream().read()).isEqualTo(7);
                        accepted.close();
                        break;
                    } catch (OutOfMemoryError e) {
                        assertThat(e).hasMessage(Kind.MEMORY.message());
                        failures++;
                        assertThat(last.isClosed()).as("call %s", nth).isTrue();
                        assertThat(ClientsEnd.isMet(client))
                                .as("the client is told")
                                .isTrue();
                        accepted.close();
                    }
                }
            }
            assertThat(failures).isPositive();
        } finally {
            listener.close();
        }
    }

    private final class Listener extends KernelServerSocket {
        Listener() {
            super(JdkAccess.kernelServerSocket());
        }

        @Override
        public KernelSocket accept() throws IOException {
            Accepted socket = new Accepted();
            implAccept(socket);
            socket.isAccepted = true;
            last = socket;
            return socket;
        }
    }

    /** An accepted socket one of whose methods fails. */
    private final class Accepted extends KernelSocket {
        private boolean isAccepted;

        Accepted() throws IOException {
            super(null);
        }

        private void failOnceAccepted() {
            if (isAccepted) {
                calls.failIfDue();
            }
        }

        @Override
        public boolean isConnected() {
            failOnceAccepted();
            return super.isConnected();
        }

        @Override
        public InetAddress getInetAddress() {
            failOnceAccepted();
            return super.getInetAddress();
        }

        @Override
        public int getPort() {
            failOnceAccepted();
            return super.getPort();
        }

        @Override
        public int getLocalPort() {
            failOnceAccepted();
            return super.getLocalPort();
        }

        @Override
        public int getTrafficClass() throws SocketException {
            failOnceAccepted();
            return super.getTrafficClass();
        }

        @Override
        InetSocketAddress local() {
            failOnceAccepted();
            return super.local();
        }

        @Override
        InetSocketAddress remote() {
            failOnceAccepted();
            return super.remote();
        }
    }
}
