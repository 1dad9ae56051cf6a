// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Undertow, WildFly's web server on XNIO, which answers with 1 KiB from its I/O threads. */
public final class UndertowServer {
    private UndertowServer() {}

    public static void main(String[] args) throws Exception {
        ByteBuffer body = ByteBuffer.wrap(HttpAnswer.body());
        Undertow server = Undertow.builder()
                .addHttpListener(0, "127.0.0.1")
                .setHandler(exchange -> answer(exchange, body.duplicate()))
                .build();
        server.start();
        InetSocketAddress address =
                (InetSocketAddress) server.getListenerInfo().get(0).getAddress();
        ServerMain.serve(address.getPort());
    }

    private static void answer(HttpServerExchange exchange, ByteBuffer body) {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain");
        exchange.getResponseSender().send(body);
    }
}
