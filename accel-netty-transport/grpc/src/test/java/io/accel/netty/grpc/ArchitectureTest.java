// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.grpc;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.accel.testing.LibraryRules;

/** The adapter depends on what its {@code package-info} says, and on nothing else. */
@AnalyzeClasses(packages = "io.accel.netty.grpc", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String HERE = "io.accel.netty.grpc";

    @ArchTest
    static final ArchRule THE_ADAPTER_KNOWS_THE_TRANSPORT_AND_GRPC_ALONE = classes()
            .that()
            .resideInAPackage(HERE)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(HERE, "io.accel.netty", "io.grpc..", "io.netty..", "java.."));

    @ArchTest
    static final ArchRule PROGRAMS_SEE_NO_INTERNAL_TYPES = LibraryRules.onlyTheApiIsShownBy(HERE);

    @ArchTest
    static final ArchRule NOTHING_HERE_IS_NATIVE_OR_INSIDE_THE_JDK = LibraryRules.nothingIsNativeOrInsideTheJdkIn(HERE);
}
