// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.accel.core.observe.BuildInfo;
import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.observe.metrics.MetricsPage;
import io.accel.metrics.AccelMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hawkular.agent.prometheus.text.TextPrometheusMetricsProcessor;
import org.hawkular.agent.prometheus.types.Histogram;
import org.hawkular.agent.prometheus.types.Metric;
import org.hawkular.agent.prometheus.types.MetricFamily;
import org.hawkular.agent.prometheus.types.MetricType;
import org.hawkular.agent.prometheus.walkers.CollectorPrometheusMetricsWalker;
import org.junit.jupiter.api.Test;

class PrometheusPageTest {
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    @Test
    void prometheusCanReadThePage() throws Exception {
        try (PrometheusPage page = open()) {
            HttpResponse<byte[]> response = send(page.uri(), "GET");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8");
            List<MetricFamily> families = parse(response.body());
            assertThat(families)
                    .extracting(MetricFamily::getName)
                    .contains(
                            "accel_build_info",
                            "accel_connections",
                            "accel_connections_opened_total",
                            "accel_fallbacks_total",
                            "accel_handshakes_seconds",
                            "accel_bytes_total",
                            "accel_in_place_bytes_total",
                            "accel_messages_total",
                            "accel_publishes_total",
                            "accel_publish_size_bytes",
                            "accel_stalls_seconds",
                            "accel_doorbells_total",
                            "accel_resets_total",
                            "accel_drops_total",
                            "accel_poll_turns_total",
                            "accel_poll_hits_total",
                            "accel_poll_sleeps_total",
                            "accel_poll_wakeups_total",
                            "accel_wait_sleeps_total",
                            "accel_wait_offers_seconds",
                            "accel_wait_handovers_total",
                            "accel_wait_delays_seconds",
                            "accel_wait_crowded_total",
                            "accel_upgrade_price_seconds",
                            "accel_upgrade_saving_seconds",
                            "accel_upgrade_saved_seconds",
                            "accel_upgrade_waiting",
                            "accel_upgrade_slower_total",
                            "accel_memory_rings_bytes",
                            "accel_memory_cap_bytes",
                            "accel_memory_registered_bytes",
                            "accel_in_place_refused_total",
                            "accel_captures",
                            "accel_capture_packets_total")
                    .allMatch(name -> name.startsWith("accel_"))
                    .hasSize(34);
            assertThat(families).allSatisfy(family -> {
                assertThat(family.getHelp()).isNotBlank();
                assertThat(family.getMetrics()).isNotEmpty();
            });
            MetricFamily fallbacks = family(families, "accel_fallbacks_total");
            assertThat(fallbacks.getMetrics().stream()
                            .map(metric -> metric.getLabels().get("reason"))
                            .collect(Collectors.toSet()))
                    .contains("RULE", "SHM_FULL", "PEER_NOT_ACCELERATED");
            assertThat(labels(fallbacks, "reason", "PEER_NOT_ACCELERATED")).containsEntry("actionable", "false");
            assertThat(labels(fallbacks, "reason", "SHM_FULL")).containsEntry("actionable", "true");
            MetricFamily build = family(families, "accel_build_info");
            assertThat(labels(build, "java", Runtime.version().toString()))
                    .containsEntry("version", BuildInfo.version());
            assertThat(new String(response.body(), StandardCharsets.UTF_8))
                    .containsPattern("(?m)^accel_build_info\\{.*} 1\\.0$");
        }
    }

    @Test
    void whatTakesTimeIsAHistogram() throws Exception {
        try (PrometheusPage page = open()) {
            for (String name :
                    List.of("accel_handshakes_seconds", "accel_stalls_seconds", "accel_wait_delays_seconds")) {
                assertThat(family(parse(send(page.uri(), "GET").body()), name).getType())
                        .as(name)
                        .isEqualTo(MetricType.HISTOGRAM);
            }
            Histogram before = handshakesByRdma(page);
            ProcessCounters.shookHands(PathName.RDMA, TimeUnit.MICROSECONDS.toNanos(300));
            ProcessCounters.shookHands(PathName.RDMA, TimeUnit.SECONDS.toNanos(60));
            Histogram after = handshakesByRdma(page);

            assertThat(after.getSampleCount() - before.getSampleCount()).isEqualTo(2);
            assertThat(after.getSampleSum() - before.getSampleSum()).isCloseTo(60.0003, within(1e-6));
            for (int i = 0; i < after.getBuckets().size(); i++) {
                Histogram.Bucket bucket = after.getBuckets().get(i);
                long more =
                        bucket.getCumulativeCount() - before.getBuckets().get(i).getCumulativeCount();
                assertThat(more)
                        .as("up to %s s", bucket.getUpperBound())
                        .isEqualTo(
                                bucket.getUpperBound() == Double.POSITIVE_INFINITY
                                        ? 2
                                        : bucket.getUpperBound() < 0.0003 ? 0 : 1);
            }
        }
    }

    private Histogram handshakesByRdma(PrometheusPage page) throws Exception {
        return (Histogram)
                family(parse(send(page.uri(), "GET").body()), "accel_handshakes_seconds").getMetrics().stream()
                        .filter(metric -> metric.getLabels().get("path").equals("rdma"))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void openMetricsIsForWhoAcceptsIt() throws Exception {
        try (PrometheusPage page = open()) {
            // As a current Prometheus asks, and as a browser does.
            HttpResponse<byte[]> open = send(
                    page.uri(),
                    "GET",
                    "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2");
            assertThat(open.headers().firstValue("Content-Type"))
                    .hasValue("application/openmetrics-text; version=1.0.0; charset=utf-8");
            assertThat(new String(open.body(), StandardCharsets.UTF_8)).endsWith("# EOF\n");
            HttpResponse<byte[]> plain = send(page.uri(), "GET", "text/html,*/*;q=0.8");
            assertThat(plain.headers().firstValue("Content-Type")).hasValue("text/plain; version=0.0.4; charset=utf-8");
            assertThat(new String(plain.body(), StandardCharsets.UTF_8)).doesNotContain("# EOF");
        }
    }

    @Test
    void aRegistryHoldsWhatItAsksThoughTheCollectorHasRun() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new AccelMetrics().bindTo(registry);
        System.gc();
        assertThat(registry.get("accel.build.info").gauge().value()).isEqualTo(1);
    }

    /** Name, kind, unit and tags; and none that there is not. */
    @Test
    void thePageOfDocumentationIsThatOfTheMeters() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new AccelMetrics().bindTo(registry);
        Set<String> meters = new TreeSet<>();
        for (Meter meter : registry.getMeters()) {
            Meter.Id id = meter.getId();
            String kind = id.getType() == Meter.Type.OTHER
                    ? "timer"
                    : id.getType().name().toLowerCase(Locale.ROOT);
            String unit = kind.equals("timer") || id.getBaseUnit() == null ? "" : ", " + id.getBaseUnit();
            String tags = id.getTags().stream().map(Tag::getKey).sorted().collect(Collectors.joining(", "));
            meters.add("| `" + id.getName() + "` | " + kind + unit + " | " + tags + " |");
        }
        Pattern row = Pattern.compile("(\\| `accel\\.[a-z.]+` \\| [a-z, ]+ \\|)([^|]*)\\|.*");
        Set<String> documented = Files.readAllLines(Path.of("..", "..", "docs", "METRICS.md")).stream()
                .map(row::matcher)
                .filter(Matcher::matches)
                .map(found -> found.group(1) + " "
                        + Pattern.compile(", *")
                                .splitAsStream(found.group(2).strip())
                                .sorted()
                                .collect(Collectors.joining(", "))
                        + " |")
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented).isEqualTo(meters);
    }

    @Test
    void nothingElseIsServed() throws Exception {
        try (PrometheusPage page = open()) {
            assertThat(send(page.uri().resolve("/metrics/x"), "GET").statusCode())
                    .isEqualTo(404);
            assertThat(send(page.uri().resolve("/"), "GET").statusCode()).isEqualTo(404);
            HttpResponse<byte[]> refused = send(page.uri(), "POST");
            assertThat(refused.statusCode()).isEqualTo(405);
            assertThat(refused.headers().firstValue("Allow")).hasValue("GET, HEAD");
            HttpResponse<byte[]> head = send(page.uri(), "HEAD");
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (PrometheusPage page = open()) {
            InetSocketAddress taken =
                    new InetSocketAddress(page.uri().getHost(), page.uri().getPort());
            assertThatThrownBy(() -> PrometheusPage.open(taken))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(String.valueOf(taken.getPort()));
        }
    }

    /** The core knows this module by the service alone. */
    @Test
    void theCoreFindsThePage() throws Exception {
        MetricsPage service = ServiceLoader.load(MetricsPage.class).findFirst().orElseThrow();
        try (PrometheusPage page = open()) {
            InetSocketAddress taken =
                    new InetSocketAddress(page.uri().getHost(), page.uri().getPort());
            assertThatThrownBy(() -> service.open(taken))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("Prometheus cannot be served at " + taken);
        }
    }

    private static PrometheusPage open() throws IOException {
        return PrometheusPage.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static List<MetricFamily> parse(byte[] page) {
        CollectorPrometheusMetricsWalker collector = new CollectorPrometheusMetricsWalker();
        new TextPrometheusMetricsProcessor(new ByteArrayInputStream(page), collector).walk();
        return collector.getAllMetricFamilies();
    }

    private static MetricFamily family(List<MetricFamily> families, String name) {
        return families.stream()
                .filter(family -> family.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, String> labels(MetricFamily family, String label, String value) {
        return family.getMetrics().stream()
                .map(Metric::getLabels)
                .filter(labels -> value.equals(labels.get(label)))
                .findFirst()
                .orElseThrow();
    }

    private HttpResponse<byte[]> send(URI uri, String method, String... accepted) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(10));
        for (String each : accepted) {
            request.header("Accept", each);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }
}
