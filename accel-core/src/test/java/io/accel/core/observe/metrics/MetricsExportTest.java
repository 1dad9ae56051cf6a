// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MetricsExportTest {
    @ParameterizedTest
    @CsvSource({
        "prometheus, 127.0.0.1, 9464",
        "prometheus:9100, 127.0.0.1, 9100",
        "prometheus:127.0.0.1:0, 127.0.0.1, 0",
        "prometheus:0.0.0.0:9464, 0.0.0.0, 9464",
        "prometheus:[::1]:9464, 0:0:0:0:0:0:0:1, 9464",
        "' prometheus:1 ', 127.0.0.1, 1",
    })
    void whereToServe(String value, String host, int port) {
        InetSocketAddress address = MetricsExport.parse(value).get(0).prometheus();
        assertThat(address.getAddress().getHostAddress()).isEqualTo(host);
        assertThat(address.getPort()).isEqualTo(port);
    }

    @Test
    void severalAtOnce() {
        assertThat(MetricsExport.parse("jmx,prometheus"))
                .extracting(MetricsExport.Wanted::prometheus)
                .satisfiesExactly(jmx -> assertThat(jmx).isNull(), page -> assertThat(page.getPort())
                        .isEqualTo(9464));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "statsd",
                "prometheus:",
                "prometheus:x",
                "prometheus:1:70000",
                "prometheus::1",
                "jmx,",
                "prometheus:-1"
            })
    void nonsenseIsSaidWithAnExample(String value) {
        assertThatThrownBy(() -> MetricsExport.parse(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("metrics=" + value + ": ")
                .hasMessageContaining("prometheus:127.0.0.1:9464");
    }

    /** Which is not here: the core has no library of metrics, not even for its tests. */
    @Test
    void thePageThatIsMissingIsNamed() {
        assertThatThrownBy(MetricsExport::page)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("io.accel:accel-metrics");
    }

    @Test
    void jmxShowsTheFigures() throws Exception {
        JmxMetrics.register();
        JmxMetrics.register(); // as a second provider of the process does
        var server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.accel:type=Accel");
        TabularData figures = (TabularData) server.getAttribute(name, "Figures");
        assertThat(figures.containsKey(new Object[] {"poll.turns"})).isTrue();
        assertThat((int) server.getAttribute(name, "ConnectionCount")).isNotNegative();
        assertThat((String[]) server.getAttribute(name, "Connections")).isNotNull();
        server.unregisterMBean(name);
    }
}
