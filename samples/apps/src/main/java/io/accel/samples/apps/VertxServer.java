// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;

/** A Vert.x HTTP server, which answers with 1 KiB, with the event loops that it has by default. */
public final class VertxServer {
    private VertxServer() {}

    public static void main(String[] args) throws Exception {
        Buffer body = Buffer.buffer(HttpAnswer.body());
        HttpServer server = Vertx.vertx()
                .createHttpServer()
                .requestHandler(request -> request.response().end(body))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get();
        ServerMain.serve(server.actualPort());
    }
}
