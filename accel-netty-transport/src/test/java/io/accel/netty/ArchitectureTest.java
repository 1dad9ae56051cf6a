// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.accel.testing.LibraryRules;

/** The transport depends on what its {@code package-info} says, and on nothing else. */
@AnalyzeClasses(packages = "io.accel.netty", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String NETTY = "io.accel.netty";
    private static final String PROFILE = "io.accel.profile";

    @ArchTest
    static final ArchRule THE_TRANSPORT_KNOWS_NO_FABRIC_AND_NO_OTHER_ADAPTER = classes()
            .that()
            .resideInAPackage(NETTY)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    NETTY,
                    "io.accel",
                    "io.accel.core.daemon",
                    "io.accel.core.jdk",
                    "io.accel.core.observe",
                    "io.accel.core.poll",
                    "io.accel.core.runtime",
                    "io.accel.core.socket",
                    PROFILE,
                    "io.netty..",
                    "java..",
                    "jdk.net"));

    @ArchTest
    static final ArchRule NOTHING_HERE_IS_NATIVE_OR_INSIDE_THE_JDK =
            LibraryRules.nothingIsNativeOrInsideTheJdkIn(NETTY);

    @ArchTest
    static final ArchRule PROGRAMS_SEE_NO_INTERNAL_TYPES = LibraryRules.onlyTheApiIsShownBy(NETTY);
}
