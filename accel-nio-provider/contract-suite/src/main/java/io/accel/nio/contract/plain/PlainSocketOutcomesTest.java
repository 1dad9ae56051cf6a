// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.Said;
import io.accel.nio.contract.Said.EndState;
import io.accel.nio.contract.Said.ListenerState;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What sockets and listeners say in every state, message by message, beside the JDK's own in this JVM. */
@Tag("plain")
class PlainSocketOutcomesTest extends PlainSocketSupport {
    /** For a read that does not wait. */
    private static final int PATIENCE_MILLIS = 10_000;

    /** A socket that the JDK alone has made. */
    private static final class JdksSocket extends Socket {
        JdksSocket() throws Exception {
            super(JdkAccess.kernelSocket(true));
        }
    }

    private static final class JdksListener extends ServerSocket {
        JdksListener() {
            super(JdkAccess.kernelServerSocket());
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofASocket(EndState state) throws Exception {
        assertThat(ofASocket(Socket::new, ServerSocket::new, state))
                .isEqualTo(ofASocket(JdksSocket::new, JdksListener::new, state));
    }

    private String ofASocket(Callable<Socket> sockets, Callable<ServerSocket> listeners, EndState state)
            throws Exception {
        ServerSocket listener = closing(listeners.call());
        listener.bind(new InetSocketAddress(host(), 0));
        SocketAddress there = listener.getLocalSocketAddress();
        Socket socket = closing(sockets.call());
        InputStream in = null;
        OutputStream out = null;
        if (state == EndState.BOUND) {
            socket.bind(anyPort());
        } else if (state != EndState.NEW) {
            socket.connect(there);
            Socket peer = closing(listener.accept());
            write(socket, "there");
            read(peer, "there".length());
            write(peer, "back");
            read(socket, "back".length());
            in = socket.getInputStream();
            out = socket.getOutputStream();
            switch (state) {
                case INPUT_SHUT -> socket.shutdownInput();
                case OUTPUT_SHUT -> socket.shutdownOutput();
                case CLOSED -> socket.close();
                case PEER_HAS_CLOSED -> {
                    peer.close();
                    assertThat(in.read()).isEqualTo(-1);
                }
                default -> {}
            }
        }
        Said said = new Said();
        said.to("state", () -> stateOf(socket));
        if (in != null) {
            transfers(socket, in, out, state, said);
        }
        said.to("text", () -> withoutPorts(socket.toString()));
        options(socket, said);
        said.to("input", () -> socket.getInputStream() != null);
        said.to("output", () -> socket.getOutputStream() != null);
        said.to("bind", () -> done(() -> socket.bind(anyPort())));
        said.to("bind to an odd address", () -> done(() -> socket.bind(Said.ODD)));
        said.to("bind to an unresolved address", () -> done(() -> socket.bind(Said.UNRESOLVED)));
        said.to("connect to nothing", () -> done(() -> socket.connect(null)));
        said.to("connect in no time", () -> done(() -> socket.connect(there, -1)));
        said.to("connect to an odd address", () -> done(() -> socket.connect(Said.ODD)));
        if (socket.isConnected()) {
            said.to("connect again", () -> done(() -> socket.connect(there)));
        }
        said.to("shut input", () -> done(socket::shutdownInput));
        said.to("shut output", () -> done(socket::shutdownOutput));
        said.to("shut output again", () -> done(socket::shutdownOutput));
        said.to("input after that", () -> socket.getInputStream() != null);
        said.to("state after that", () -> stateOf(socket));
        socket.close();
        said.to("state after a close", () -> stateOf(socket));
        said.to("text after a close", () -> withoutPorts(socket.toString()));
        return said.all();
    }

    private static String stateOf(Socket socket) {
        return "" + socket.isBound() + socket.isConnected() + socket.isClosed() + socket.isInputShutdown()
                + socket.isOutputShutdown() + (socket.getPort() > 0) + socket.getLocalPort() / 100_000
                + (socket.getInetAddress() == null) + socket.getLocalAddress() + (socket.getChannel() == null)
                + (socket.getRemoteSocketAddress() == null) + (socket.getLocalSocketAddress() == null);
    }

    private static String withoutPorts(String text) {
        return text.replaceAll("port=\\d+", "port").replaceAll("^[^\\[]*\\[", "[");
    }

    private static void transfers(Socket socket, InputStream in, OutputStream out, EndState state, Said said) {
        said.to("available", in::available);
        said.to("read nothing", () -> in.read(new byte[0]));
        said.to("read out of bounds", () -> in.read(new byte[1], 1, 1));
        said.to("read into no array", () -> in.read(null, 0, 1));
        said.to("mark", in::markSupported);
        // JDK 25 counts the time from before it has the lock: a thread that is without a processor then has none left.
        said.to("timeout", () -> done(() -> socket.setSoTimeout(state.readsWait() ? 1 : PATIENCE_MILLIS)));
        said.to("read", in::read);
        said.to("skip nothing", () -> in.skip(0));
        said.to("write nothing", () -> done(() -> out.write(new byte[0])));
        said.to("write out of bounds", () -> done(() -> out.write(new byte[1], 0, 2)));
        said.to("write no array", () -> done(() -> out.write(null)));
        if (state != EndState.PEER_HAS_CLOSED) { // which accepts one, and refuses those behind its answer
            said.to("write", () -> done(() -> out.write(1)));
        }
        said.to("flush", () -> done(out::flush));
    }

    private interface Action {
        void run() throws Exception;
    }

    private static String done(Action action) throws Exception {
        action.run();
        return "done";
    }

    private static void options(Socket socket, Said said) {
        said.to("linger", socket::getSoLinger);
        said.to("linger backwards", () -> done(() -> socket.setSoLinger(true, -1)));
        said.to("timeout", socket::getSoTimeout);
        said.to("timeout backwards", () -> done(() -> socket.setSoTimeout(-1)));
        said.to("receive nothing", () -> done(() -> socket.setReceiveBufferSize(0)));
        said.to("send nothing", () -> done(() -> socket.setSendBufferSize(-1)));
        said.to("odd class", () -> done(() -> socket.setTrafficClass(256)));
        said.to("class", socket::getTrafficClass);
        said.to("delay", socket::getTcpNoDelay);
        said.to("do not delay", () -> done(() -> socket.setTcpNoDelay(true)));
        said.to("keep alive", socket::getKeepAlive);
        said.to("inline", socket::getOOBInline);
        said.to("reuse", socket::getReuseAddress);
        said.to("supported", () -> socket.supportedOptions().size());
        said.options(socket::getOption, (option, value) -> socket.setOption(option, value));
    }

    @ParameterizedTest
    @EnumSource
    void ofAListener(ListenerState state) throws Exception {
        assertThat(ofAListener(ServerSocket::new, state)).isEqualTo(ofAListener(JdksListener::new, state));
    }

    private String ofAListener(Callable<ServerSocket> listeners, ListenerState state) throws Exception {
        ServerSocket listener = closing(listeners.call());
        if (state != ListenerState.NEW) {
            listener.bind(new InetSocketAddress(host(), 0));
        }
        if (state == ListenerState.CLOSED) {
            listener.close();
        }
        Said said = new Said();
        said.to(
                "state",
                () -> "" + listener.isBound() + listener.isClosed() + listener.getInetAddress()
                        + (listener.getLocalPort() > 0) + (listener.getLocalSocketAddress() == null)
                        + listener.getChannel());
        said.to("text", () -> withoutPorts(listener.toString()));
        said.to("timeout", listener::getSoTimeout);
        said.to("timeout backwards", () -> done(() -> listener.setSoTimeout(-1)));
        said.to("no time", () -> done(() -> listener.setSoTimeout(1)));
        said.to("accept", () -> listener.accept());
        said.to("size", () -> done(() -> listener.setReceiveBufferSize(0)));
        said.to("reuse", listener::getReuseAddress);
        said.to("supported", () -> listener.supportedOptions().size());
        said.options(listener::getOption, (option, value) -> listener.setOption(option, value));
        said.to("bind to an odd address", () -> done(() -> listener.bind(Said.ODD)));
        said.to("bind to an unresolved address", () -> done(() -> listener.bind(Said.UNRESOLVED)));
        said.to("bind", () -> done(() -> listener.bind(new InetSocketAddress(host(), 0), -1)));
        said.to("bind again", () -> done(() -> listener.bind(new InetSocketAddress(host(), 0))));
        listener.close();
        said.to("state after a close", () -> "" + listener.isBound() + listener.isClosed());
        said.to("text after a close", () -> withoutPorts(listener.toString()));
        return said.all();
    }
}
