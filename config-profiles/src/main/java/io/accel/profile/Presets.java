// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The presets' texts: resources beside this class, one file each, whose first comment line describes it. */
final class Presets {
    static final String DEFAULT = "balanced";

    static final List<String> NAMES = List.of("latency", "throughput", DEFAULT, "low-cpu", "off");

    /** The texts of presets that were asked for. */
    private static final Map<String, String> TEXTS = new ConcurrentHashMap<>();

    private Presets() {}

    static String text(String name) {
        String text = TEXTS.get(name);
        if (text == null) {
            text = read(name);
            TEXTS.put(name, text);
        }
        return text;
    }

    private static String read(String name) {
        String resource = name + ".properties";
        try (InputStream in = Presets.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the jar lacks io/accel/profile/" + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read io/accel/profile/" + resource + " in the jar", e);
        }
    }

    static String description(String name) {
        return text(name)
                .lines()
                .filter(line -> line.startsWith("#"))
                .findFirst()
                .map(line -> line.substring(1).strip())
                .orElseThrow();
    }
}
