// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/**
 * The JDK's {@code HttpServer}: {@code POST /sum} answers with length and CRC of the body, {@code GET /pattern?n} with n
 * bytes of {@link Pattern}, {@code GET /connections} with how many connections there have been.
 */
public final class HttpServing {
    private static final int CHUNK = 32 << 10;
    private static final Set<InetSocketAddress> CLIENTS = ConcurrentHashMap.newKeySet();

    private HttpServing() {}

    public static void main(String[] args) throws IOException {
        Console console = new Console();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/sum", HttpServing::sum);
        server.createContext("/pattern", HttpServing::pattern);
        server.createContext("/connections", exchange -> answer(exchange, Integer.toString(CLIENTS.size())));
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        console.say("PORT " + server.getAddress().getPort());
    }

    private static void sum(HttpExchange exchange) throws IOException {
        CRC32C crc = new CRC32C();
        try (InputStream body = new CheckedInputStream(exchange.getRequestBody(), crc)) {
            long length = 0;
            byte[] chunk = new byte[CHUNK];
            for (int n = body.read(chunk); n >= 0; n = body.read(chunk)) {
                length += n;
            }
            answer(exchange, length + " " + crc.getValue());
        }
    }

    private static void pattern(HttpExchange exchange) throws IOException {
        CLIENTS.add(exchange.getRemoteAddress());
        URI uri = exchange.getRequestURI();
        long length = Long.parseLong(uri.getQuery());
        exchange.sendResponseHeaders(200, length == 0 ? -1 : length);
        try (OutputStream out = exchange.getResponseBody()) {
            byte[] chunk = new byte[CHUNK];
            for (long at = 0; at < length; ) {
                int n = (int) Math.min(CHUNK, length - at);
                Pattern.at(at, n).get(chunk, 0, n);
                out.write(chunk, 0, n);
                at += n;
            }
        }
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        CLIENTS.add(exchange.getRemoteAddress());
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(200, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }
}
