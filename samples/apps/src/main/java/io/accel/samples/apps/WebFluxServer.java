// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A route of Spring WebFlux on Reactor Netty, as Spring Boot runs it, which answers with 1 KiB. */
public final class WebFluxServer {
    private WebFluxServer() {}

    public static void main(String[] args) throws Exception {
        byte[] body = HttpAnswer.body();
        ReactorHttpHandlerAdapter handler =
                new ReactorHttpHandlerAdapter(RouterFunctions.toHttpHandler(RouterFunctions.route()
                        .GET("/", request -> ServerResponse.ok().bodyValue(body))
                        .build()));
        DisposableServer server =
                HttpServer.create().host("127.0.0.1").port(0).handle(handler).bindNow();
        ServerMain.serve(server.port());
    }
}
