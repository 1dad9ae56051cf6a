// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.testing.RealProgram;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** A program of WebFlux as it would be without Accel, over a real port, asked by its own {@code WebClient}. */
@RealProgram(
        name = "Spring Boot with WebFlux on Accel's transport",
        artifact = "org.springframework.boot:spring-boot-starter-webflux",
        how = "a program over a real port and its `WebClient`, metrics, health")
@Timeout(30)
@SpringBootTest(
        classes = WebFluxTest.Program.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.reactor.netty.shutdown-quiet-period=0s",
            "management.endpoint.health.show-details=always",
            "management.endpoints.web.exposure.include=health,metrics",
            "accel.ring.size=256KiB"
        })
class WebFluxTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @LocalServerPort
    private int port;

    @Autowired
    private WebClient.Builder builder;

    private WebClient client() {
        return builder.baseUrl("http://127.0.0.1:" + port).build();
    }

    private static String get(WebClient client, String path) {
        return client.get().uri(path).retrieve().bodyToMono(String.class).block(LIMIT);
    }

    private static Map<?, ?> health(WebClient client) {
        Map<String, Object> health = client.get()
                .uri("/actuator/health")
                .retrieve()
                .bodyToMono(new ParameterizedTypeReference<Map<String, Object>>() {})
                .block(LIMIT);
        Map<?, ?> accel = (Map<?, ?>) ((Map<?, ?>) health.get("components")).get("accel");
        assertThat(accel.get("status")).isEqualTo("UP");
        return (Map<?, ?>) accel.get("details");
    }

    /** As long as the test: one that is garbage closes its connections. */
    private final HttpClient plain = HttpClient.newHttpClient();

    @Test
    void connectionsAreAcceleratedAndHealthSaysSo() {
        WebClient client = client();
        for (int i = 0; i < 20; i++) {
            assertThat(get(client, "/hello/" + i)).isEqualTo("hello " + i);
        }
        await().atMost(LIMIT).untilAsserted(() -> {
            Map<?, ?> details = health(client);
            assertThat(details.get("accelerating")).isEqualTo(true);
            Map<?, ?> open = (Map<?, ?>) details.get("connections");
            // both ends are in this process
            assertThat((Integer) open.get("shm")).isGreaterThanOrEqualTo(2);
        });
        assertThat(get(client, "/actuator/metrics/accel.connections.opened?tag=path:shm"))
                .contains("\"accel.connections.opened\"");
        assertThat(System.getProperty("accel.ring.size")).isEqualTo("256KiB");
    }

    @Test
    void clientsWithoutAccelAreServedAndHealthSaysWhyTheyAreNotAccelerated() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/hello/you"))
                .timeout(LIMIT)
                .build();
        assertThat(plain.send(request, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo("hello you");
        await().atMost(LIMIT).untilAsserted(() -> {
            Map<?, ?> told = (Map<?, ?>) ((Map<?, ?>) health(client()).get("fallbacks")).get("PEER_NOT_ACCELERATED");
            assertThat(told).isNotNull();
            assertThat((Integer) told.get("open")).isEqualTo(1);
            assertThat(told.get("actionable")).isEqualTo(false);
            assertThat(told.get("what")).isEqualTo("the peer does not run Accel");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Program {
        @RestController
        static class Hello {
            @GetMapping("/hello/{name}")
            Mono<String> hello(@PathVariable("name") String name) {
                return Mono.just("hello " + name);
            }
        }
    }
}
