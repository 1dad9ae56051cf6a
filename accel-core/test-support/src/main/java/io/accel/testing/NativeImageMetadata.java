// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Compares a module's metadata for GraalVM's {@code native-image} with its classes. Each entry names, as its condition, the class whose
 * code needs it. That shows on either side what the other lacks, without an image.
 */
public final class NativeImageMetadata {
    /** Calls by which a class reaches others by their names. */
    private static final Pattern REFLECTIVE =
            Pattern.compile("java/lang/invoke/MethodHandles\\$Lookup\\.(find(?!Class).*|unreflect.*)"
                    + "|java/lang/Class\\.(forName|get(Declared)?(Method|Field|Constructor))"
                    + "|java/util/ServiceLoader\\.load|jnr/ffi/LibraryLoader\\.create"
                    + "|io/accel/core/jdk/TrustedLookup\\.internal");

    private static final Map<String, Class<?>> PRIMITIVES =
            Map.of("int", int.class, "long", long.class, "boolean", boolean.class, "short", short.class);

    private final Path classes;
    private final Set<String> conditions = new HashSet<>();
    private final List<Entry> entries = new ArrayList<>();
    private final Set<String> notOnThisJdk;
    private final List<String> faults = new ArrayList<>();

    private record Entry(String condition, String name, Set<String> fields, Map<String, List<String>> methods) {
        boolean names(String member) {
            return fields.contains(member) || methods.containsKey(member);
        }
    }

    private NativeImageMetadata(Path classes, Set<String> notOnThisJdk) {
        this.classes = classes;
        this.notOnThisJdk = notOnThisJdk;
    }

    /**
     * Compares.
     *
     * @param classes the directory of the module's classes and resources
     * @param artifact the module's name as an artifact
     * @param exempt the classes that reach others by name without need of an entry
     * @param notOnThisJdk the members that this JDK may lack, each as {@code java.lang.Thread.isVirtual}
     * @return what is wrong, a line each
     * @throws IOException if a file cannot be read
     */
    public static List<String> faults(Path classes, String artifact, Set<String> exempt, Set<String> notOnThisJdk)
            throws IOException {
        NativeImageMetadata metadata = new NativeImageMetadata(classes, notOnThisJdk);
        Path directory = classes.resolve("META-INF/native-image/io.accel").resolve(artifact);
        metadata.readEntries(directory.resolve("reflect-config.json"));
        Path proxies = directory.resolve("proxy-config.json");
        if (Files.exists(proxies)) {
            metadata.readProxies(proxies);
        }
        metadata.entries.forEach(metadata::checkThere);
        metadata.compareWithClasses(exempt);
        return metadata.faults;
    }

    // ---- what the files say

    private static List<Map<String, Object>> list(Object json) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Object each : json == null ? List.of() : (List<?>) json) {
            all.add(map(each));
        }
        return all;
    }

    @SuppressWarnings("unchecked") // a map of the reader's
    private static Map<String, Object> map(Object json) {
        return (Map<String, Object>) json;
    }

    private static List<String> strings(Object json) {
        return ((List<?>) json).stream().map(String.class::cast).toList();
    }

    private String condition(Map<String, Object> entry) {
        String condition = (String) map(entry.get("condition")).get("typeReachable");
        conditions.add(condition);
        find(condition);
        return condition;
    }

    private void readEntries(Path file) throws IOException {
        for (Map<String, Object> each : list(Json.read(file))) {
            Set<String> fields = new HashSet<>();
            list(each.get("fields")).forEach(field -> fields.add((String) field.get("name")));
            Map<String, List<String>> methods = new TreeMap<>();
            list(each.get("methods"))
                    .forEach(method -> methods.put((String) method.get("name"), strings(method.get("parameterTypes"))));
            entries.add(new Entry(condition(each), (String) each.get("name"), fields, methods));
        }
    }

    private void readProxies(Path file) throws IOException {
        for (Map<String, Object> each : list(Json.read(file))) {
            String condition = condition(each);
            for (String name : strings(each.get("interfaces"))) {
                Class<?> type = find(name);
                if (type != null && !type.isInterface()) {
                    faults.add(condition + ": " + name + " is no interface");
                }
            }
        }
    }

    // ---- whether that is there

    private Class<?> find(String name) {
        if (PRIMITIVES.containsKey(name)) {
            return PRIMITIVES.get(name);
        }
        try {
            return Class.forName(name, false, NativeImageMetadata.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            faults.add("there is no class " + name);
            return null;
        }
    }

    private void checkThere(Entry entry) {
        Class<?> type = find(entry.name);
        if (type == null) {
            return;
        }
        for (String field : entry.fields) {
            if (Arrays.stream(type.getDeclaredFields())
                    .noneMatch(each -> each.getName().equals(field))) {
                lacks(entry, field);
            }
        }
        entry.methods.forEach((method, parameters) -> {
            Class<?>[] types = parameters.stream().map(this::find).toArray(Class<?>[]::new);
            try {
                if (method.equals("<init>")) {
                    Object unused = type.getDeclaredConstructor(types);
                } else {
                    Object unused = type.getDeclaredMethod(method, types);
                }
            } catch (NoSuchMethodException e) {
                lacks(entry, method);
            }
        });
    }

    private void lacks(Entry entry, String member) {
        if (!notOnThisJdk.contains(entry.name + '.' + member)) {
            faults.add(entry.condition + ": there is no " + entry.name + '.' + member);
        }
    }

    // ---- whether that is all

    private void compareWithClasses(Set<String> exempt) throws IOException {
        Map<String, Set<String>> texts = new HashMap<>();
        Map<String, Set<String>> calls = new HashMap<>();
        try (Stream<Path> files = Files.walk(classes)) {
            files.filter(file -> file.toString().endsWith(".class")).forEach(file -> {
                String name = classes.relativize(file).toString();
                String outer = name.substring(0, name.length() - ".class".length())
                        .replaceFirst("\\$.*", "")
                        .replace('/', '.');
                ClassConstants constants = constants(file);
                texts.computeIfAbsent(outer, any -> new HashSet<>()).addAll(constants.texts());
                calls.computeIfAbsent(outer, any -> new HashSet<>()).addAll(constants.calls());
            });
        }
        calls.forEach((name, called) -> {
            boolean isReflective =
                    called.stream().anyMatch(call -> REFLECTIVE.matcher(call).matches());
            if (isReflective && !exempt.contains(name)) {
                compare(name, texts.get(name), called);
            } else if (!isReflective && exempt.contains(name)) {
                faults.add(name + " is exempt without need");
            }
        });
    }

    private static ClassConstants constants(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return ClassConstants.read(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compare(String name, Set<String> texts, Set<String> called) {
        if (!conditions.contains(name)) {
            faults.add(name + " reaches others by name, and no entry is for it");
            return;
        }
        List<Entry> own =
                entries.stream().filter(entry -> entry.condition.equals(name)).toList();
        for (String text : texts) {
            if (isNameOfClass(text) && own.stream().noneMatch(entry -> entry.name.equals(text))) {
                faults.add(name + " names " + text + ", and no entry does");
            }
            for (Entry entry : own) {
                if (!entry.name.equals(name)
                        && hasMember(entry.name, text)
                        && own.stream().noneMatch(e -> e.names(text))) {
                    faults.add(name + " names " + text + " of " + entry.name + ", and no entry does");
                }
            }
        }
        if (called.contains("java/lang/invoke/MethodHandles$Lookup.findVarHandle")) {
            checkHandles(name, own);
        }
    }

    /** A class's handles of its own fields are as many as the fields that its entry names. */
    private void checkHandles(String name, List<Entry> own) {
        Class<?> type = find(name);
        long handles = Arrays.stream(type.getDeclaredFields())
                .filter(field -> field.getType() == VarHandle.class && Modifier.isStatic(field.getModifiers()))
                .count();
        long named = own.stream()
                .filter(entry -> entry.name.equals(name))
                .mapToLong(entry -> entry.fields.size())
                .sum();
        if (handles != named) {
            faults.add(name + " has " + handles + " handles, and its entry " + named + " fields");
        }
    }

    private static boolean isNameOfClass(String text) {
        if (!text.matches("[a-z]+(\\.[\\w$]+)+")) {
            return false;
        }
        try {
            Class<?> unused = Class.forName(text, false, NativeImageMetadata.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private static boolean hasMember(String type, String name) {
        try {
            Class<?> named = Class.forName(type, false, NativeImageMetadata.class.getClassLoader());
            return Arrays.stream(named.getDeclaredFields())
                            .anyMatch(field -> field.getName().equals(name))
                    || Arrays.stream(named.getDeclaredMethods())
                            .anyMatch(method -> method.getName().equals(name));
        } catch (ClassNotFoundException | LinkageError e) {
            return false; // said already
        }
    }
}
