// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** java.net.Socket and the program's SOCKS proxy: one at which nobody listens. */
@Tag("plain")
class PlainSocketProxyTest extends PlainSocketSupport {
    private final Queue<URI> asked = new ConcurrentLinkedQueue<>();
    private ProxySelector before;
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = server();
        InetSocketAddress nobody;
        try (ServerSocket gone = server()) {
            nobody = (InetSocketAddress) gone.getLocalSocketAddress();
        }
        before = ProxySelector.getDefault();
        ProxySelector.setDefault(selecting(List.of(new Proxy(Proxy.Type.SOCKS, nobody))));
    }

    @AfterEach
    void restore() {
        ProxySelector.setDefault(before);
    }

    @Test
    void aSocketAsksTheDefaultSelector() throws Exception {
        Socket socket = closing(new Socket());
        assertThat(asked).isEmpty();
        assertThatThrownBy(() -> socket.connect(server.getLocalSocketAddress())).isInstanceOf(SocketException.class);
        assertThat(asked)
                .isNotEmpty()
                .allMatch(uri -> uri.getScheme().equals("socket") && uri.getPort() == server.getLocalPort());
    }

    @Test
    void aSocketWithNoProxyAsksNobody() throws Exception {
        Socket socket = closing(new Socket(Proxy.NO_PROXY));
        socket.connect(server.getLocalSocketAddress());
        exchange(socket);
        assertThat(asked).isEmpty();
    }

    @Test
    void aSubclassWithNoProxyAsksNobody() throws Exception {
        Socket socket = closing(new Socket(Proxy.NO_PROXY) {});
        socket.connect(server.getLocalSocketAddress());
        exchange(socket);
        assertThat(asked).isEmpty();
    }

    @Test
    void aSelectorThatWasTakenAwayIsNotAsked() throws Exception {
        Socket socket = closing(new Socket());
        ProxySelector.setDefault(null);
        socket.connect(server.getLocalSocketAddress());
        exchange(socket);
        assertThat(asked).isEmpty();
    }

    /** As if there were no proxy: an empty list, or one that begins with null, or with one that is not for sockets. */
    @Test
    void aSelectorThatHasNoneForSocketsIsAsked() throws Exception {
        Proxy ofPages = new Proxy(Proxy.Type.HTTP, server.getLocalSocketAddress());
        Proxy ofSockets = new Proxy(Proxy.Type.SOCKS, server.getLocalSocketAddress());
        for (List<Proxy> answer :
                List.of(List.<Proxy>of(), List.of(ofPages, ofSockets), Arrays.asList(null, ofSockets))) {
            ProxySelector.setDefault(selecting(answer));
            Socket socket = closing(new Socket());
            socket.connect(server.getLocalSocketAddress());
            exchange(socket);
            assertThat(asked).as("for %s", answer).isNotEmpty();
            asked.clear();
        }
    }

    private ProxySelector selecting(List<Proxy> answer) {
        return new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                asked.add(uri);
                return answer;
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException e) {}
        };
    }

    private void exchange(Socket client) throws IOException {
        Socket accepted = closing(server.accept());
        write(client, "there");
        assertThat(read(accepted, 5)).isEqualTo("there");
        write(accepted, "back");
        assertThat(read(client, 4)).isEqualTo("back");
    }
}
