// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** The JDK's web server with four threads, which answers each request with the same words. Argument as for {@link StreamSink}. */
public final class YoungHttpServer implements HttpHandler {
    static final String BODY = "Hello, World!";

    private static final int BACKLOG = 1024;
    private static final int THREADS = 4;

    private final byte[] body = BODY.getBytes(StandardCharsets.US_ASCII);

    private YoungHttpServer() {}

    public static void main(String[] args) throws IOException {
        Control.serveInBackground();
        HttpServer server = HttpServer.create(Parameters.parse(args).anyPort(), BACKLOG);
        server.createContext("/", new YoungHttpServer());
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.start();
        Event.named("ready").with("port", server.getAddress().getPort()).send();
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
