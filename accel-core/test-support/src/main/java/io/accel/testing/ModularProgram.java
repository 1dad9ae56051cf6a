// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A program that is a module, and requires modules that are on the test's class path. Immutable. */
public final class ModularProgram {
    private static final String MODULE = "com.example.program";

    private final String modulePath;

    private ModularProgram(String modulePath) {
        this.modulePath = modulePath;
    }

    /**
     * Compiles a program; any warning is an error.
     *
     * @param dir an empty directory, which outlives the program
     * @param required a pattern for a part of the path of each module on the class path that the program needs
     * @param requires the directives of the program's descriptor
     * @param main the source of a class {@code com.example.Main} with a main method
     * @return the program
     * @throws AssertionError if it cannot be compiled
     */
    public static ModularProgram compile(Path dir, Pattern required, String requires, String main) throws IOException {
        String libraries = Arrays.stream(ChildJvm.classPath().split(File.pathSeparator, -1))
                .filter(path -> required.matcher(path).find())
                .collect(Collectors.joining(File.pathSeparator));
        Path sources = Files.createDirectories(dir.resolve("sources/com/example"));
        Path descriptor =
                Files.writeString(dir.resolve("sources/module-info.java"), "module " + MODULE + " {" + requires + "}");
        Path program = Files.writeString(sources.resolve("Main.java"), main);
        Path classes = dir.resolve("classes");
        List<String> options = new ArrayList<>(List.of("-d", classes.toString(), "--module-path", libraries));
        options.addAll(List.of("--release", "17", "-Xlint:all,-requires-automatic,-options", "-Werror"));

        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            if (!compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(descriptor, program))
                    .call()) {
                throw new AssertionError("the program does not compile:\n" + said);
            }
        }
        return new ModularProgram(classes + File.pathSeparator + libraries);
    }

    /** Returns a JVM that runs the program. */
    public ChildJvm jvm() {
        return ChildJvm.ofModule(modulePath, MODULE + "/com.example.Main");
    }
}
