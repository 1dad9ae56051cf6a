// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.compatibility;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import io.accel.testing.RealProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Finds the tests that are marked with a {@link RealProgram} in the sources of modules, with the compiler's own parser. */
final class MarkedTests {
    private static final String MARK = RealProgram.class.getSimpleName();
    private static final Set<String> KINDS_OF_TESTS = Set.of("Test", "ParameterizedTest");

    private MarkedTests() {}

    /** @param modules directories below the root */
    static List<Marked> in(Path root, List<String> modules) throws IOException {
        List<Marked> marked = new ArrayList<>();
        for (String module : modules) {
            Path sources = root.resolve(module).resolve(Path.of("src", "test", "java"));
            if (Files.isDirectory(sources)) {
                marked.addAll(marksOf(module, marked(sources)));
            }
        }
        return marked;
    }

    /** The files that have the mark's name, so that the others need not be parsed. */
    private static List<Path> marked(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java") && hasMark(file))
                    .sorted()
                    .toList();
        }
    }

    private static boolean hasMark(Path file) {
        try {
            return Files.readString(file).contains("@" + MARK);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Marked> marksOf(String module, List<Path> files) throws IOException {
        if (files.isEmpty()) {
            return List.of();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Marked> marked = new ArrayList<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            for (CompilationUnitTree unit : task.parse()) {
                for (Tree type : unit.getTypeDecls()) {
                    if (type instanceof ClassTree test) {
                        marked.addAll(marksOf(module, test));
                    }
                }
            }
        }
        return marked;
    }

    private static List<Marked> marksOf(String module, ClassTree test) {
        List<Marked> marks = new ArrayList<>();
        for (AnnotationTree annotation : test.getModifiers().getAnnotations()) {
            if (annotation.getAnnotationType().toString().equals(MARK)) {
                requireTests(test);
                Map<String, ExpressionTree> values = valuesOf(annotation);
                marks.add(new Marked(
                        module,
                        test.getSimpleName().toString(),
                        text(values.get("name")),
                        values.containsKey("artifact") ? text(values.get("artifact")) : "",
                        text(values.get("how")),
                        values.containsKey("over") ? names(values.get("over")) : List.of("SHM"),
                        values.containsKey("onlyWithAll") && isTrue(values.get("onlyWithAll"))));
            }
        }
        return marks;
    }

    /** A class that the build does not run, or that has no test, shows nothing. */
    private static void requireTests(ClassTree test) {
        String name = test.getSimpleName().toString();
        boolean hasTests = test.getMembers().stream()
                .filter(MethodTree.class::isInstance)
                .flatMap(method -> ((MethodTree) method).getModifiers().getAnnotations().stream())
                .anyMatch(annotation ->
                        KINDS_OF_TESTS.contains(annotation.getAnnotationType().toString()));
        if (!hasTests
                || test.getModifiers().getFlags().contains(Modifier.ABSTRACT)
                || !(name.endsWith("IT") || name.endsWith("Test"))) {
            throw new IllegalArgumentException(name + " is marked with a program, and is no test");
        }
    }

    private static Map<String, ExpressionTree> valuesOf(AnnotationTree annotation) {
        Map<String, ExpressionTree> values = new HashMap<>();
        for (ExpressionTree argument : annotation.getArguments()) {
            AssignmentTree assignment = (AssignmentTree) argument;
            values.put(assignment.getVariable().toString(), assignment.getExpression());
        }
        return values;
    }

    /** The value of a literal, or of several joined ones. */
    private static String text(ExpressionTree value) {
        if (value instanceof BinaryTree joined) {
            return text(joined.getLeftOperand()) + text(joined.getRightOperand());
        }
        if (value instanceof LiteralTree literal && literal.getValue() instanceof String string) {
            return string;
        }
        throw new IllegalArgumentException("only literals may be in a mark, not " + value);
    }

    private static List<String> names(ExpressionTree value) {
        return value instanceof NewArrayTree several
                ? several.getInitializers().stream()
                        .flatMap(each -> names(each).stream())
                        .toList()
                : List.of(
                        value instanceof MemberSelectTree select
                                ? select.getIdentifier().toString()
                                : value.toString());
    }

    private static boolean isTrue(ExpressionTree value) {
        return value instanceof LiteralTree literal && Boolean.TRUE.equals(literal.getValue());
    }
}
