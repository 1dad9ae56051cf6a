// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * Requests, one after the other, to {@link TomcatServer} or {@link UndertowServer}. Arguments: {@code port}; {@code
 * connection=keep}, which the JDK's {@code HttpClient} does with a selector, or {@code connection=each}, a connection for each
 * request, by its {@code HttpURLConnection}.
 */
public final class HttpRequests {
    private HttpRequests() {}

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        URI uri = URI.create("http://127.0.0.1:" + parameters.number("port") + "/");
        if (parameters.text("connection").equals("each")) {
            Operations.execute(() -> requestByItself(uri), parameters);
        } else {
            HttpClient client =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            HttpRequest request = HttpRequest.newBuilder(uri).build();
            Operations.execute(() -> check(client.send(request, BodyHandlers.ofByteArray())), parameters);
        }
    }

    private static void check(HttpResponse<byte[]> response) throws IOException {
        HttpAnswer.check(new HttpAnswer(response.statusCode(), response.body().length));
    }

    private static void requestByItself(URI uri) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setRequestProperty("Connection", "close");
        try (InputStream body = connection.getInputStream()) {
            HttpAnswer.check(new HttpAnswer(connection.getResponseCode(), body.readAllBytes().length));
        }
    }
}
