// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.accel.testing.Child;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/** The view of {@code accel stats} of the accelerated JVMs of a directory of shared files. Stateless. */
public final class LiveView {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private LiveView() {}

    /** A command of Accel, run from its jar. */
    public static Launch command(Path jar, String... arguments) {
        return Launch.plain("io.accel.nio.cli.AccelMain", arguments).classPath(List.of(jar));
    }

    /** All processes that the drop-in jar shows. */
    public static List<JsonObject> of(Path shared) {
        return of(shared, Launch.dropInJar(), launch -> launch);
    }

    /** All processes that a jar shows, whose launch differs. */
    public static List<JsonObject> of(Path shared, Path jar, UnaryOperator<Launch> difference) {
        Launch look = difference.apply(command(jar, "stats", "--once", "--json", "--dir=" + shared));
        try (Child stats = look.start("accel stats")) {
            assertThat(stats.awaitExit(PATIENCE)).as(stats.output()).isZero();
            JsonArray processes =
                    JsonParser.parseString(stats.output()).getAsJsonObject().getAsJsonArray("processes");
            List<JsonObject> all = new ArrayList<>();
            processes.forEach(process -> all.add(process.getAsJsonObject()));
            return all;
        }
    }

    /** All processes that the drop-in jar shows, once this one is among them: it is not in the first second after its first channel. */
    public static List<JsonObject> with(Path shared, Child process) {
        return Awaitility.await("a view of " + process).atMost(PATIENCE).until(() -> of(shared), seen -> seen.stream()
                .anyMatch(each -> pid(each) == process.pid()));
    }

    /** The only connection of a process that is among those seen. */
    public static JsonObject onlyConnection(List<JsonObject> seen, Child process) {
        JsonArray connections = seen.stream()
                .filter(each -> pid(each) == process.pid())
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no " + process + " among " + seen))
                .getAsJsonArray("connections");
        assertThat(connections).as("connections of %s", process).hasSize(1);
        return connections.get(0).getAsJsonObject();
    }

    /** The id of a process. */
    public static long pid(JsonObject process) {
        return process.get("pid").getAsLong();
    }

    /** The value that a process, or a connection, has under that name. */
    public static String text(JsonObject object, String name) {
        return object.get(name).getAsString();
    }
}
