// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.testsuite.transport.AbstractTestsuiteTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every test class of Netty's suite runs over Accel, or stands in {@link NotApplicable}. A new Netty may bring new ones. */
class SuiteCompletenessTest {
    private static final String SUITE = "io/netty/testsuite/transport/";
    private static final String END = "Test.class";
    private static final Set<Class<?>> OURS = ours();

    @Test
    void everyClassIsRunOrListed() throws Exception {
        Set<String> missing = new TreeSet<>();
        for (String name : suite()) {
            if (!NotApplicable.CLASSES.containsKey(name) && !isRun(name)) {
                missing.add(name);
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void nothingIsListedThatIsNotThere() throws Exception {
        Set<String> suite = suite();
        assertThat(suite).containsAll(NotApplicable.CLASSES.keySet());
        for (String method : NotApplicable.METHODS.keySet()) {
            String[] parts = method.split("\\.", -1);
            Class<?> ours = Class.forName(getClass().getPackageName() + '.' + parts[0]);
            assertThat(ours.getMethods()).extracting("name").contains(parts[1]);
        }
    }

    /** Whether a class of ours extends it; a class that only others extend runs with those. */
    private boolean isRun(String name) throws ClassNotFoundException {
        Class<?> theirs = Class.forName((SUITE + name).replace('/', '.'));
        return OURS.stream().anyMatch(theirs::isAssignableFrom);
    }

    private static Set<Class<?>> ours() {
        String own = SuiteCompletenessTest.class.getPackageName().replace('.', '/');
        Path directory =
                Path.of(SuiteCompletenessTest.class.getResource("/" + own).getPath());
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.startsWith("Accel") && file.endsWith(END))
                    .map(file -> load(file.substring(0, file.length() - ".class".length())))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> load(String simpleName) {
        try {
            return Class.forName(SuiteCompletenessTest.class.getPackageName() + '.' + simpleName);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Set<String> suite() throws Exception {
        Path jar = Path.of(AbstractTestsuiteTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .map(JarEntry::getName)
                    .filter(name -> name.startsWith(SUITE) && name.endsWith(END) && !name.contains("$"))
                    .map(name -> name.substring(SUITE.length(), name.length() - ".class".length()))
                    .map(name -> name.replace('/', '.'))
                    .collect(Collectors.toSet());
        }
    }
}
