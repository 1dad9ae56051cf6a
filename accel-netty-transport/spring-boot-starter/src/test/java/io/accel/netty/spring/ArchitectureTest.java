// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.accel.testing.LibraryRules;

/** The adapter depends on what its {@code package-info} says, and on nothing else. */
@AnalyzeClasses(packages = "io.accel.netty.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String HERE = "io.accel.netty.spring";

    @ArchTest
    static final ArchRule THE_STARTER_KNOWS_NO_FABRIC = classes()
            .that()
            .resideInAPackage(HERE)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    HERE,
                    "io.accel",
                    "io.accel.core.observe",
                    "io.accel.metrics",
                    "io.accel.core.runtime",
                    "io.accel.core.socket",
                    "io.accel.netty",
                    "io.accel.netty.reactor",
                    "io.accel.profile",
                    "io.micrometer.core.instrument..",
                    "java..",
                    "org.springframework..",
                    "reactor.netty.."));

    @ArchTest
    static final ArchRule PROGRAMS_SEE_NO_INTERNAL_TYPES = LibraryRules.onlyTheApiIsShownBy(HERE);

    @ArchTest
    static final ArchRule NOTHING_HERE_IS_NATIVE_OR_INSIDE_THE_JDK = LibraryRules.nothingIsNativeOrInsideTheJdkIn(HERE);
}
