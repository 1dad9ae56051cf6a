// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.accel.testing.LibraryRules;

/** The packages of this module depend on what each one's {@code package-info} says, and on nothing else. */
@AnalyzeClasses(packages = "io.accel.metrics", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ALL = "io.accel.metrics..";
    private static final String METRICS = "io.accel.metrics";
    private static final String METERS = "io.accel.metrics.meters";
    private static final String DAEMON = "io.accel.core.daemon";

    @ArchTest
    static final ArchRule WHAT_PROGRAMS_CALL_LEAVES_THE_METERS_TO_OTHERS = classes()
            .that()
            .resideInAPackage(METRICS)
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage(METRICS, METERS, DAEMON, "io.micrometer.core.instrument", "java.."));

    @ArchTest
    static final ArchRule METERS_ARE_MADE_OF_THE_CORES_COUNTERS = classes()
            .that()
            .resideInAPackage(METERS)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    METERS,
                    "io.accel",
                    DAEMON,
                    "io.accel.core.observe",
                    "io.accel.core.observe.metrics",
                    "io.accel.profile",
                    "com.sun.net.httpserver",
                    "io.micrometer.core.instrument",
                    "io.prometheus.metrics..",
                    "java.."));

    /** Wherever Micrometer is, another class loader may define the only class that links to it. */
    @ArchTest
    static final ArchRule ONLY_THE_BINDING_LINKS_TO_MICROMETER = noClasses()
            .that()
            .haveNameNotMatching(".*\\.metrics\\.(meters\\.MicrometerBinding(\\$.*)?|AccelMetrics)")
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer..")
                    .or(JavaClass.Predicates.simpleNameStartingWith("MicrometerBinding")));

    @ArchTest
    static final ArchRule PROGRAMS_SEE_NO_INTERNAL_TYPES = LibraryRules.onlyTheApiIsShownBy(METRICS);

    @ArchTest
    static final ArchRule NOTHING_HERE_IS_NATIVE_OR_INSIDE_THE_JDK = LibraryRules.nothingIsNativeOrInsideTheJdkIn(ALL);
}
