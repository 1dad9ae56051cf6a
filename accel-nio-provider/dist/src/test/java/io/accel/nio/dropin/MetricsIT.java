// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AccelOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The finished jar brings all that metrics need, to a program that knows nothing of them. */
class MetricsIT {
    private static final Pattern PAGE = Pattern.compile("metrics are at (http://127\\.0\\.0\\.1:\\d+/metrics)");

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void prometheusIsServedTheTraffic(Path jdk) throws Exception {
        try (Child child = Child.start(dir, command(jdk, "-Daccel.metrics=prometheus:127.0.0.1:0,jmx"))) {
            child.awaitOutput("PORT ");
            URI page = page(child);
            child.awaitOutput("metrics are in JMX as io.accel:type=Accel");
            assertThat(scrape(page).lines())
                    .contains(
                            "accel_bytes_total{direction=\"in\",path=\"shm\"} 12800.0",
                            "accel_bytes_total{direction=\"out\",path=\"shm\"} 12800.0",
                            "accel_messages_total{direction=\"out\",path=\"shm\"} 200.0",
                            "accel_connections{path=\"shm\",state=\"established\"} 2.0",
                            "accel_memory_cap_bytes{path=\"shm\"} 6.7108864E7");
        }
    }

    /** A scraper has no Accel, and the page's own connections are not fall-backs of the program. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aScrapeIsCountedNowhere(Path jdk) throws Exception {
        try (Child child = Child.start(dir, command(jdk, "-Daccel.metrics=prometheus:127.0.0.1:0"))) {
            child.awaitOutput("PORT ");
            URI page = page(child);
            for (int i = 0; i < 5; i++) {
                scrape(page);
            }
            List<String> lines = scrape(page).lines().toList();
            assertThat(lines)
                    .filteredOn(line -> line.startsWith("accel_fallbacks_total{"))
                    .hasSizeGreaterThan(50)
                    .allMatch(line -> line.endsWith("} 0.0"));
            assertThat(lines)
                    .contains(
                            "accel_connections{path=\"kernel\",state=\"established\"} 0.0",
                            "accel_connections_opened_total{path=\"kernel\",role=\"server\"} 0.0");
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aPortThatIsTakenDoesNotDisturbTheProgram(Path jdk) throws Exception {
        try (Child child = Child.start(dir, command(jdk, "-Daccel.metrics=prometheus:192.0.2.1:9464"))) {
            child.awaitOutput("PORT ");
            child.awaitOutput("metrics are not available: Prometheus cannot be served at /192.0.2.1:9464");
        }
    }

    private static URI page(Child child) throws Exception {
        child.awaitOutput("/metrics");
        Matcher page = PAGE.matcher(child.output());
        assertThat(page.find()).as(child.output()).isTrue();
        return URI.create(page.group(1));
    }

    /** By a connection of its own. */
    private static String scrape(URI page) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(page).timeout(Duration.ofSeconds(10)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static List<String> command(Path jdk, String option) {
        List<String> command = new ArrayList<>(
                List.of(jdk.resolve("bin/java").toString(), Child.PROVIDER, option, "-Daccel.shm.max=64MiB"));
        command.addAll(AccelOptions.AT_ONCE);
        command.addAll(List.of("-cp", Child.JAR + ":" + Child.testClasses(), EchoUntilTold.class.getName()));
        return command;
    }
}
