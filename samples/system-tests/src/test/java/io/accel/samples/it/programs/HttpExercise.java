// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;

/**
 * The JDK's {@code HttpClient} against {@link HttpServing} at {@code port=n}, told what to do by commands: {@code PUT
 * bytes}, {@code GET bytes}, {@code MANY requests bytes} (all at once), {@code CONNECTIONS n} (so many has the server seen). Each is answered by {@code OK command} once
 * length and content have been checked; anything else ends the program with the exception.
 */
public final class HttpExercise {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(LIMIT)
            .build();
    private final String server;

    private HttpExercise(String server) {
        this.server = server;
    }

    public static void main(String[] args) throws Exception {
        Console console = new Console();
        HttpExercise exercise = new HttpExercise("http://127.0.0.1:" + new Arguments(args).get("port", 0));
        try {
            while (true) {
                String command = console.next();
                exercise.run(command.split(" ", -1));
                console.say("OK " + command);
            }
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private void run(String[] command) throws IOException, InterruptedException {
        switch (command[0]) {
            case "PUT" -> put(Long.parseLong(command[1]));
            case "GET" -> get(Long.parseLong(command[1]));
            case "MANY" -> many(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
            case "CONNECTIONS" ->
                expect(
                        command[1],
                        client.send(request("/connections").build(), BodyHandlers.ofString())
                                .body());
            default -> throw new IllegalArgumentException(command[0]);
        }
    }

    private void put(long bytes) throws IOException, InterruptedException {
        HttpRequest.BodyPublisher body = bytes == 0
                ? BodyPublishers.noBody()
                : BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(() -> new PatternStream(bytes)), bytes);
        HttpRequest request = request("/sum").POST(body).build();
        expect(
                sumOfPattern(bytes),
                client.send(request, BodyHandlers.ofString()).body());
    }

    private void get(long bytes) throws IOException, InterruptedException {
        HttpRequest request = request("/pattern?" + bytes).build();
        HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            long at = 0;
            byte[] chunk = new byte[64 << 10];
            for (int n = body.read(chunk); n >= 0; n = body.read(chunk)) {
                Pattern.check(at, ByteBuffer.wrap(chunk, 0, n));
                at += n;
            }
            expect(bytes, at);
        }
    }

    private void many(int requests, int bytes) {
        List<CompletableFuture<?>> running = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            byte[] body = new byte[bytes + i];
            Pattern.at(0, body.length).get(body);
            HttpRequest post =
                    request("/sum").POST(BodyPublishers.ofByteArray(body)).build();
            running.add(client.sendAsync(post, BodyHandlers.ofString())
                    .thenAccept(response -> expect(sumOfPattern(body.length), response.body())));
            HttpRequest get = request("/pattern?" + body.length).build();
            running.add(client.sendAsync(get, BodyHandlers.ofByteArray()).thenAccept(response -> {
                expect(body.length, response.body().length);
                Pattern.check(0, ByteBuffer.wrap(response.body()));
            }));
        }
        CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new)).join();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server + path)).timeout(LIMIT);
    }

    private static String sumOfPattern(long bytes) {
        CRC32C crc = new CRC32C();
        for (long at = 0; at < bytes; ) {
            int n = (int) Math.min(64 << 10, bytes - at);
            crc.update(Pattern.at(at, n));
            at += n;
        }
        return bytes + " " + crc.getValue();
    }

    private static void expect(Object wanted, Object got) {
        if (!wanted.equals(got)) {
            throw new IllegalStateException("expected " + wanted + ", got " + got);
        }
    }
}
