// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.accel.testing.LibraryRules;

/** The packages of this module depend on what each one's {@code package-info} says, and nothing of the provider depends on them. */
@AnalyzeClasses(packages = "io.accel.nio", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ALL = "io.accel.nio..";
    private static final String NIO = "io.accel.nio";
    private static final String NET = "io.accel.nio.net";
    private static final String AGENT = "io.accel.nio.agent";
    private static final String DOCTOR = "io.accel.nio.doctor";
    private static final String CLI = "io.accel.nio.cli";
    private static final String API = "io.accel";
    private static final String PROFILE = "io.accel.profile";
    private static final String DAEMON = "io.accel.core.daemon";
    private static final String FABRIC = "io.accel.core.fabric";
    private static final String SHM = "io.accel.core.fabric.shm";
    private static final String JDK = "io.accel.core.jdk";
    private static final String OBSERVE = "io.accel.core.observe";
    private static final String POLL = "io.accel.core.poll";
    private static final String SOCKET = "io.accel.core.socket";

    @ArchTest
    static final ArchRule ONLY_THE_AGENT_KNOWS_THE_SOCKETS =
            noClasses().that().resideOutsideOfPackages(NET, AGENT).should().dependOnClassesThat(resideInAPackage(NET));

    /** Everything else would be loaded before the program's first class. */
    @ArchTest
    static final ArchRule THE_AGENT_USES_LITTLE = classes()
            .that()
            .resideInAPackage(AGENT)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(AGENT, NET, DAEMON, PROFILE, "java.."));

    @ArchTest
    static final ArchRule ONLY_THE_DOCTOR_LOOKS_AT_FABRICS = noClasses()
            .that()
            .resideInAPackage(ALL)
            .and()
            .resideOutsideOfPackage(DOCTOR)
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.accel.core.fabric.."));

    @ArchTest
    static final ArchRule THE_DOCTOR_USES_NO_INNER_PART_OF_RDMA = classes()
            .that()
            .resideInAPackage(DOCTOR)
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage(DOCTOR, NIO, API, FABRIC, SHM, JDK, POLL, SOCKET, PROFILE, "java.."));

    @ArchTest
    static final ArchRule ONLY_THE_COMMAND_LINE_ASKS_THE_DOCTOR = noClasses()
            .that()
            .resideOutsideOfPackages(DOCTOR, CLI)
            .should()
            .dependOnClassesThat(resideInAPackage(DOCTOR));

    @ArchTest
    static final ArchRule THE_COMMAND_LINE_SHOWS_WHAT_OTHERS_FIND = classes()
            .that()
            .resideInAPackage(CLI)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(CLI, API, DOCTOR, OBSERVE, PROFILE, "java..", "picocli.."));

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_THE_COMMAND_LINE_OR_THE_AGENT = noClasses()
            .that()
            .resideOutsideOfPackages(CLI, AGENT)
            .should()
            .dependOnClassesThat(resideInAnyPackage(CLI, AGENT));

    @ArchTest
    static final ArchRule NOTHING_HERE_IS_NATIVE_OR_INSIDE_THE_JDK = LibraryRules.nothingIsNativeOrInsideTheJdkIn(ALL);
}
