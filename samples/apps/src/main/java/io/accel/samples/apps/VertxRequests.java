// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Requests, one after the other over one connection, by Vert.x's HTTP client in one event loop, as a verticle makes them. Argument:
 * {@code port}.
 */
public final class VertxRequests {
    private static final long PATIENCE_SECONDS = 20;

    private final Context loop;
    private final HttpClient client;
    private final int port;

    private VertxRequests(Vertx vertx, int port) {
        loop = vertx.getOrCreateContext();
        client = vertx.createHttpClient();
        this.port = port;
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        Operations.execute(new VertxRequests(Vertx.vertx(), parameters.number("port"))::request, parameters);
    }

    private void request() throws Exception {
        CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
        loop.runOnContext(now -> client.request(HttpMethod.GET, port, "127.0.0.1", "/")
                .compose(HttpClientRequest::send)
                .compose(response -> response.body().map(body -> new HttpAnswer(response.statusCode(), body.length())))
                .onSuccess(answer::complete)
                .onFailure(answer::completeExceptionally));
        HttpAnswer.check(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
}
