// SPDX-License-Identifier: Apache-2.0
package io.accel.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Path;
import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** The runs of the suite, and Maven's executions of them. */
@Timeout(60)
class RunTest {
    private static final String NEWER = "-newer";

    /** The tags by which Maven's executions choose tests, or nothing, by the names of the executions. */
    private static Map<String, String> executions() throws Exception {
        Document pom = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new File("pom.xml"));
        XPath paths = XPathFactory.newInstance().newXPath();
        NodeList nodes = (NodeList) paths.evaluate(
                "//plugin[artifactId='maven-surefire-plugin']/executions/execution[id!='default-test']",
                pom,
                XPathConstants.NODESET);
        Map<String, String> tags = new HashMap<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            Node each = nodes.item(i);
            tags.put(paths.evaluate("id", each), paths.evaluate("configuration/groups", each));
        }
        return tags;
    }

    @Test
    void mavenHasAnExecutionForEach() throws Exception {
        Map<String, String> wanted = new HashMap<>();
        Run.all().forEach((name, run) -> wanted.put(name, run.tag() == null ? "" : run.tag()));
        Map<String, String> executions = executions();
        List<String> newer = new ArrayList<>(executions.keySet());
        newer.removeAll(wanted.keySet());
        assertThat(newer).isNotEmpty().allSatisfy(name -> {
            assertThat(name).endsWith(NEWER);
            assertThat(Run.of(name)).isSameAs(Run.of(name.substring(0, name.length() - NEWER.length())));
        });
        executions.keySet().removeAll(newer);
        assertThat(executions).isEqualTo(wanted);
    }

    @Test
    void theOracleHasNothingOfAccel() {
        assertThat(Run.of("jdk").properties()).containsOnlyKeys("contract.path");
    }

    @Test
    void eachOtherHasAccelsProviders() {
        for (Run run : Run.all().values()) {
            if (run.path() != Path.JDK) {
                assertThat(run.properties())
                        .containsEntry("java.nio.channels.spi.SelectorProvider", "io.accel.nio.AccelSelectorProvider")
                        .containsEntry(
                                "java.nio.channels.spi.AsynchronousChannelProvider",
                                "io.accel.nio.AccelAsynchronousChannelProvider");
            }
        }
    }

    @Test
    void aNameThatIsNoRunsIsRefused() {
        assertThatThrownBy(() -> Run.of("shm"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shm-latency, shm-low-cpu");
    }
}
