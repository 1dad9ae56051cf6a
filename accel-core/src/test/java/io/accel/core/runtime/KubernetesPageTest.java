// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.profile.Keys;
import io.accel.profile.OptionLine;
import io.accel.profile.Profile;
import io.accel.profile.Profiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The manifests of docs/KUBERNETES.md are YAML, set only existing keys, and mount the volumes that they name. */
class KubernetesPageTest {
    private static final Pattern MANIFEST = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern BYTES = Pattern.compile("(\\d+)(Mi|Gi)");

    /** A manifest's description of a pod. */
    private record Pod(List<Map<?, ?>> containers, Map<String, Map<?, ?>> volumes) {}

    private static List<Pod> pods() throws IOException {
        List<Pod> pods = new ArrayList<>();
        for (var block : MANIFEST.matcher(Files.readString(Path.of("..", "docs", "KUBERNETES.md")))
                .results()
                .toList()) {
            Object document = new Load(LoadSettings.builder().build()).loadFromString(block.group(1));
            Map<?, ?> spec = (Map<?, ?>) document;
            while (!spec.containsKey("containers") && (spec.containsKey("spec") || spec.containsKey("template"))) {
                spec = (Map<?, ?>) spec.get(spec.containsKey("spec") ? "spec" : "template");
            }
            if (spec.containsKey("containers")) {
                Map<String, Map<?, ?>> volumes = new HashMap<>();
                maps(spec.get("volumes")).forEach(volume -> volumes.put(text(volume, "name"), volume));
                pods.add(new Pod(maps(spec.get("containers")), volumes));
            }
        }
        assertThat(pods).as("the jar in a volume, two containers, two pods").hasSize(3);
        return pods;
    }

    @Test
    void whatContainersAreToldCanBeSet() throws IOException {
        int told = 0;
        for (Pod pod : pods()) {
            for (Map<?, ?> container : pod.containers()) {
                assertThat(variable(container, "JAVA_TOOL_OPTIONS")).matches("-javaagent:/\\S+/accel\\.jar");
                told += OptionLine.parse(variable(container, "ACCEL_OPTIONS")).size();
                assertThat(profile(container)).isNotNull();
            }
        }
        assertThat(told).as("settings").isGreaterThanOrEqualTo(6);
    }

    @Test
    void ringsLieInMemoryThatIsMountedAndLargeEnough() throws IOException {
        int seen = 0;
        for (Pod pod : pods()) {
            for (Map<?, ?> container : pod.containers()) {
                if (variable(container, "ACCEL_OPTIONS") == null) {
                    continue;
                }
                seen++;
                Profile profile = profile(container);
                String directory = profile.get(Keys.SHM_DIR).toString();
                Map<?, ?> volume = mounted(pod, container, directory);
                long most = profile.get(Keys.SHM_MAX);
                if (volume.get("emptyDir") instanceof Map<?, ?> empty) {
                    assertThat(text(empty, "medium")).isEqualTo("Memory");
                    assertThat(bytes(text(empty, "sizeLimit"))).isGreaterThan(most);
                } else {
                    assertThat(text((Map<?, ?>) volume.get("hostPath"), "path")).startsWith("/dev/shm/");
                }
                Map<?, ?> limits = (Map<?, ?>) ((Map<?, ?>) container.get("resources")).get("limits");
                assertThat(most)
                        .as("rings of %s in its memory", container.get("name"))
                        .isBetween(1L, bytes(text(limits, "memory")) / 4);
                assertThat(text(limits, "cpu")).as("whole processors").matches("\\d+");
            }
        }
        assertThat(seen).isEqualTo(3);
    }

    private static Profile profile(Map<?, ?> container) {
        String named = variable(container, "ACCEL_PROFILE");
        return Profile.load(
                named == null ? Profiles.defaultName() : named, OptionLine.parse(variable(container, "ACCEL_OPTIONS")));
    }

    private static Map<?, ?> mounted(Pod pod, Map<?, ?> container, String directory) {
        return maps(container.get("volumeMounts")).stream()
                .filter(mount -> text(mount, "mountPath").equals(directory))
                .map(mount -> pod.volumes().get(text(mount, "name")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing is mounted at " + directory + " in " + container));
    }

    /** The value of a container's variable; null if it has none. */
    private static String variable(Map<?, ?> container, String name) {
        return maps(container.get("env")).stream()
                .filter(each -> text(each, "name").equals(name))
                .map(each -> text(each, "value"))
                .findFirst()
                .orElse(null);
    }

    private static long bytes(String text) {
        var matcher = BYTES.matcher(text);
        assertThat(matcher.matches()).as(text).isTrue();
        return Long.parseLong(matcher.group(1)) << (matcher.group(2).equals("Gi") ? 30 : 20);
    }

    private static String text(Map<?, ?> map, String key) {
        return (String) map.get(key);
    }

    private static List<Map<?, ?>> maps(Object list) {
        List<Map<?, ?>> maps = new ArrayList<>();
        ((List<?>) list).forEach(each -> maps.add((Map<?, ?>) each));
        return maps;
    }
}
