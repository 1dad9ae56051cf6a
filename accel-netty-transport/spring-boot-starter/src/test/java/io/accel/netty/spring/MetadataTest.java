// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.profile.Key;
import io.accel.profile.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonWriter;

/** Editors complete {@code accel.*} from a file in the jar, which has the contents of the schema. */
class MetadataTest {
    private static final Path FILE =
            Path.of("src", "main", "resources", "META-INF", "spring-configuration-metadata.json");

    private record Property(String name, String type, String description, Object defaultValue) {}

    @Test
    void listsTheSchemasKeys() throws IOException {
        String expected = metadata();
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(FILE, expected);
        }
        assertThat(FILE)
                .as("%s is out of date: run this test with -Ddocs.write=true", FILE)
                .hasContent(expected);
    }

    private static String metadata() {
        List<Property> properties = new ArrayList<>();
        properties.add(new Property(
                "accel.enabled", "java.lang.Boolean", "Whether this program uses Accel by the starter.", true));
        properties.add(new Property(
                "accel.profile", "java.lang.String", "A preset, or the path of a file of settings.", "balanced"));
        for (Key<?> key : Keys.all()) {
            properties.add(propertyOf(key));
        }
        JsonWriter<Property> writer = JsonWriter.of(members -> {
            members.add("name", Property::name);
            members.add("type", Property::type);
            members.add("description", Property::description);
            members.add("defaultValue", Property::defaultValue).whenNotNull();
        });
        List<String> lines = properties.stream()
                .map(property -> "    " + writer.writeToString(property))
                .toList();
        return "{\n  \"properties\": [\n" + String.join(",\n", lines) + "\n  ]\n}\n";
    }

    private static <T> Property propertyOf(Key<T> key) {
        String value = key.render(key.defaultValue());
        String type =
                switch (key.typeName()) {
                    case "boolean" -> "java.lang.Boolean";
                    case "int" -> "java.lang.Integer";
                    default -> "java.lang.String";
                };
        return new Property(
                "accel." + key.name(),
                type,
                key.description() + " Allowed: " + key.allowed() + ".",
                value.isEmpty() ? null : value);
    }
}
