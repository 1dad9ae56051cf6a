// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.time.Duration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.reactive.function.client.WebClient;

/** Requests, one after the other over one connection, by Spring's {@code WebClient} on Reactor Netty. Argument: {@code port}. */
public final class WebFluxRequests {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private WebFluxRequests() {}

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        WebClient client = WebClient.create("http://127.0.0.1:" + parameters.number("port"));
        Operations.execute(
                () -> {
                    ResponseEntity<byte[]> response = client.get()
                            .uri("/")
                            .retrieve()
                            .toEntity(byte[].class)
                            .block(PATIENCE);
                    if (response == null || response.getBody() == null) {
                        throw new IOException("an answer without a body");
                    }
                    HttpAnswer.check(new HttpAnswer(response.getStatusCode().value(), response.getBody().length));
                },
                parameters);
    }
}
