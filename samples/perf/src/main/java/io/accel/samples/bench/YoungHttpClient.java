// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/**
 * Requests to a {@link YoungHttpServer} by the JDK's client, one after the other in each of {@code connections} threads, from the JVM's
 * start on. Arguments: that and those of {@link YoungStart}.
 */
public final class YoungHttpClient extends YoungClient {
    private static final int OK = 200;

    private final HttpClient client;
    private final HttpRequest request;

    private YoungHttpClient(YoungStart start, HttpClient client, HttpRequest request) {
        super(start);
        this.client = client;
        this.request = request;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Parameters parameters = Parameters.parse(args);
        YoungStart start = YoungStart.await(parameters);
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://" + start.server().getAddress().getHostAddress() + ":"
                                + start.server().getPort() + "/"))
                .build();
        YoungClient[] clients = new YoungClient[parameters.number("connections")];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new YoungHttpClient(start, client, request);
        }
        runAll(start, clients);
    }

    @Override
    int step() throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != OK || !answer.body().equals(YoungHttpServer.BODY)) {
            throw new IOException("the server answered " + answer.statusCode() + " with " + answer.body());
        }
        return 1;
    }
}
