// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.adaptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Said;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the adaptor of a stream channel says in every state, beside the one of the JDK's own channels in this JVM: releases of the JDK
 * differ in it.
 */
@Tag("adaptor")
class SocketOutcomesTest extends ContractSupport {
    enum State {
        NEW,
        CONNECTED,
        SHUT,
        CLOSED,
        PEER_HAS_CLOSED
    }

    @ParameterizedTest
    @EnumSource(State.class)
    void areTheJdks(State state) throws Exception {
        for (boolean blocks : new boolean[] {true, false}) {
            assertThat(outcomes(SelectorProvider.provider(), state, blocks))
                    .as("blocking %s", blocks)
                    .isEqualTo(outcomes(JdkAccess.kernelProvider(), state, blocks));
        }
    }

    private List<String> outcomes(SelectorProvider provider, State state, boolean blocks) throws Exception {
        ServerSocketChannel listener =
                closing(provider.openServerSocketChannel()).bind(anyPort());
        SocketChannel client = closing(provider.openSocketChannel());
        if (state == State.NEW) {
            return outcomes(client, listener, null, null, blocks);
        }
        client.connect(listener.getLocalAddress());
        SocketChannel server = closing(listener.accept());
        Bytes.write(client, new byte[1]);
        Bytes.read(server, 1);
        Bytes.write(server, new byte[1]);
        Bytes.read(client, 1);
        InputStream in = client.socket().getInputStream();
        OutputStream out = client.socket().getOutputStream();
        switch (state) {
            case SHUT -> client.shutdownInput().shutdownOutput();
            case CLOSED -> client.close();
            case PEER_HAS_CLOSED -> {
                server.close();
                assertThat(in.read()).isEqualTo(-1);
            }
            default -> {}
        }
        return outcomes(client, listener, in, out, blocks);
    }

    private List<String> outcomes(
            SocketChannel client, ServerSocketChannel listener, InputStream in, OutputStream out, boolean blocks)
            throws IOException {
        if (client.isOpen()) {
            client.configureBlocking(blocks);
        }
        SocketAddress remote = listener.getLocalAddress();
        Socket socket = client.socket();
        List<String> all = new ArrayList<>();
        if (out != null) {
            all.add("write " + Said.outcome(() -> wrote(out)));
            all.add("write nothing "
                    + Said.outcome(() -> {
                        out.write(new byte[0]);
                        return "";
                    }));
            all.add("read nothing " + Said.outcome(() -> in.read(new byte[0])));
            all.add("available " + Said.outcome(in::available));
        }
        all.add("urgent "
                + Said.outcome(() -> {
                    socket.sendUrgentData(1);
                    return "";
                }));
        all.add("input " + Said.outcome(() -> socket.getInputStream() != null));
        all.add("output " + Said.outcome(() -> socket.getOutputStream() != null));
        if (client.isOpen() && (client.isConnected() || !blocks)) {
            for (int timeout : new int[] {0, 1000}) {
                all.add("connect " + Said.outcome(() -> connected(socket, remote, timeout)));
                all.add("connect to an odd address " + Said.outcome(() -> connected(socket, Said.ODD, timeout)));
            }
        } else if (!client.isOpen()) {
            all.add("connect " + Said.outcome(() -> connected(socket, remote, 0)));
            all.add("connect to an odd address " + Said.outcome(() -> connected(socket, Said.ODD, 0)));
        }
        all.add("connect to nothing " + Said.outcome(() -> connected(socket, null, 0)));
        all.add("connect in no time " + Said.outcome(() -> connected(socket, remote, -1)));
        all.add("bind "
                + Said.outcome(() -> {
                    socket.bind(Said.ODD);
                    return "";
                }));
        all.add("timeout " + Said.outcome(socket::getSoTimeout));
        all.add("odd option " + Said.outcome(() -> socket.getOption(StandardSocketOptions.SO_BROADCAST)));
        all.add("state " + socket.isBound() + socket.isConnected() + socket.isClosed() + socket.isInputShutdown()
                + socket.isOutputShutdown());
        all.add("shut " + Said.outcome(() -> client.shutdownInput().shutdownOutput() == client));
        all.add("shut adaptor "
                + Said.outcome(() -> {
                    socket.shutdownOutput();
                    return "";
                }));
        all.add("connect to an unresolved address "
                + Said.outcome(() -> connected(socket, InetSocketAddress.createUnresolved("no.invalid", 7), 0))
                + client.isOpen());
        return all;
    }

    private static Object wrote(OutputStream out) throws IOException {
        out.write(1);
        return "";
    }

    private static Object connected(Socket socket, SocketAddress remote, int timeout) throws IOException {
        socket.connect(remote, timeout);
        return "";
    }
}
