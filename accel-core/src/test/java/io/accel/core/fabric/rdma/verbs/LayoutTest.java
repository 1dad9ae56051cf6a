// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles a C program that prints what the installed headers say of every offset, size and constant in the package. */
class LayoutTest {
    private static final String HEADERS = """
            #include <stddef.h>
            #include <stdio.h>
            #include <errno.h>
            #include <fcntl.h>
            #include <netinet/in.h>
            #include <infiniband/verbs.h>
            #include <rdma/rdma_cma.h>
            """;

    @TempDir
    Path directory;

    @Test
    void offsetsSizesAndConstantsAreThoseOfTheHeaders() throws Exception {
        assumeTrue(
                compiles(HEADERS + "int main(void) { return 0; }\n"), "no C compiler, or no rdma-core headers, here");
        Map<String, Long> ours = new TreeMap<>();
        StringBuilder program = new StringBuilder(HEADERS + "int main(void) {\n");
        for (Class<?> named : namedClasses()) {
            for (Map.Entry<String, Long> entry : expressions(named).entrySet()) {
                String name = named.getSimpleName() + ": " + entry.getKey();
                ours.put(name, entry.getValue());
                program.append("    printf(\"%lld %s\\n\", (long long) (")
                        .append(entry.getKey())
                        .append("), \"")
                        .append(name)
                        .append("\");\n");
            }
        }
        program.append("    return 0;\n}\n");

        assertThat(compiles(program.toString())).as(program.toString()).isTrue();
        Map<String, Long> theirs = new TreeMap<>();
        for (String line : run(directory.resolve("layout").toString())) {
            int space = line.indexOf(' ');
            theirs.put(line.substring(space + 1), Long.valueOf(line.substring(0, space)));
        }
        assertThat(theirs).isEqualTo(ours).hasSizeGreaterThan(150);
    }

    private static List<Class<?>> namedClasses() throws URISyntaxException, IOException, ClassNotFoundException {
        Path classes = Path.of(Verbs.class.getResource("Verbs.class").toURI()).getParent();
        List<Class<?>> named = new ArrayList<>();
        try (Stream<Path> files = Files.list(classes)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = file.getFileName().toString();
                if (name.endsWith(".class") && !name.startsWith("package-info")) {
                    String simple = name.substring(0, name.length() - ".class".length());
                    Class<?> type = Class.forName(
                            Verbs.class.getPackageName() + "." + simple, false, Verbs.class.getClassLoader());
                    if (type.isAnnotationPresent(CName.class)) {
                        named.add(type);
                    }
                }
            }
        }
        return named;
    }

    /** What a class says, as C expressions with our values. */
    @SuppressWarnings("EnumOrdinal") // The order of these enums is C's, which is what is tested.
    private static Map<String, Long> expressions(Class<?> type) throws IllegalAccessException {
        String name = type.getAnnotation(CName.class).value();
        Map<String, Long> expressions = new TreeMap<>();
        if (type.isEnum()) {
            for (Object constant : type.getEnumConstants()) {
                Enum<?> member = (Enum<?>) constant;
                expressions.put(name + member.name(), (long) member.ordinal());
            }
            return expressions;
        }
        for (Field field : type.getDeclaredFields()) {
            if (field.getType() != int.class || !Modifier.isStatic(field.getModifiers())) {
                continue;
            }
            field.setAccessible(true);
            String expression;
            if (!name.startsWith("struct ")) {
                expression = name + field.getName();
            } else if (field.getName().equals("SIZE")) {
                expression = "sizeof(" + name + ")";
            } else {
                CName member = field.getAnnotation(CName.class);
                expression = "offsetof(" + name + ", "
                        + (member == null ? field.getName().toLowerCase(Locale.ROOT) : member.value()) + ")";
            }
            expressions.put(expression, (long) field.getInt(null));
        }
        return expressions;
    }

    private boolean compiles(String program) throws IOException, InterruptedException {
        Path source = directory.resolve("layout.c");
        Files.writeString(source, program);
        try {
            run("cc", "-o", directory.resolve("layout").toString(), source.toString());
            return true;
        } catch (IOException e) {
            System.err.println("LayoutTest: " + e.getMessage());
            return false;
        }
    }

    private List<String> run(String... command) throws IOException, InterruptedException {
        File output = directory.resolve("output").toFile();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + ": " + Files.readString(output.toPath()));
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        return Files.readAllLines(output.toPath());
    }
}
