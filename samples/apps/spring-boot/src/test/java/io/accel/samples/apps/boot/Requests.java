// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.boot;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

/**
 * Asks for greetings, one after the other. Arguments: the port; how many; {@code keep}, for one connection, or {@code each}, for a
 * connection of each request. Says {@code ANSWERS} and their number, and ends when its input does.
 */
final class Requests {
    /** As long as the program: one that is garbage closes its connections. */
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Requests() {}

    public static void main(String[] args) throws Exception {
        URI root = URI.create("http://127.0.0.1:" + args[0] + "/hello/");
        int many = Integer.parseInt(args[1]);
        for (int i = 0; i < many; i++) {
            URI uri = root.resolve(Integer.toString(i));
            String answer = args[2].equals("keep") ? kept(uri) : byItself(uri);
            if (!answer.equals("hello " + i)) {
                throw new IOException("the answer to " + uri + " is " + answer);
            }
        }
        System.out.println("ANSWERS " + many);
        System.in.readAllBytes();
    }

    private static String kept(URI uri) throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
    }

    private static String byItself(URI uri) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setRequestProperty("Connection", "close");
        try (InputStream body = connection.getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
