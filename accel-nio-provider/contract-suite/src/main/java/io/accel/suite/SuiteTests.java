// SPDX-License-Identifier: Apache-2.0
package io.accel.suite;

import io.accel.nio.contract.Path;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.platform.commons.support.ReflectionSupport;

/** The classes of the suite, by the names that a user types. */
final class SuiteTests {
    static final String ROOT = Path.class.getPackageName();

    /** By their simple names, which are unique. */
    private final SortedMap<String, Class<?>> classes = new TreeMap<>();

    private SuiteTests() {
        for (Class<?> each :
                ReflectionSupport.findAllClassesInPackage(ROOT, c -> true, name -> name.endsWith("Test"))) {
            Class<?> other = classes.put(each.getSimpleName(), each);
            if (other != null) {
                throw new IllegalStateException("two tests of one name: " + each.getName() + " and " + other.getName());
            }
        }
    }

    static SuiteTests find() {
        return new SuiteTests();
    }

    /**
     * The option of JUnit's console that selects a class, or {@code Class#method}.
     *
     * @throws IllegalArgumentException if there is no such class, with the names of similar classes
     */
    String selector(String test) {
        int hash = test.indexOf('#');
        String name = hash < 0 ? test : test.substring(0, hash);
        Class<?> found = classes.get(name.startsWith(ROOT) ? name.substring(name.lastIndexOf('.') + 1) : name);
        if (found == null) {
            throw new IllegalArgumentException("no test '" + name + "'" + similar(name));
        }
        return hash < 0
                ? "--select-class=" + found.getName()
                : "--select-method=" + found.getName() + test.substring(hash);
    }

    private String similar(String name) {
        String part = name.toLowerCase(Locale.ROOT).replaceFirst("tests?$", "");
        SortedSet<String> names = new TreeSet<>(classes.keySet());
        names.removeIf(each -> !each.toLowerCase(Locale.ROOT).contains(part));
        return names.isEmpty() ? "" : "; there are " + String.join(", ", names);
    }

    /** The suite's packages, by the last part of their names, which is also the tag of each class in it. */
    SortedSet<String> packages() {
        SortedSet<String> packages = new TreeSet<>();
        classes.values().forEach(each -> packages.add(packageOf(each)));
        return packages;
    }

    private static String packageOf(Class<?> test) {
        return test.getPackageName().substring(ROOT.length() + 1);
    }

    /**
     * The option of JUnit's console that selects a package.
     *
     * @throws IllegalArgumentException if there is no such package, with the names of all packages
     */
    String packageSelector(String name) {
        if (!packages().contains(name)) {
            throw new IllegalArgumentException("no package '" + name + "'; there are " + String.join(", ", packages()));
        }
        return "--select-package=" + ROOT + "." + name;
    }
}
