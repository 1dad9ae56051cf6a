// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.accel.testing.LibraryRules;

/** The packages of this module depend on what each one's {@code package-info} says, and on nothing else. */
@AnalyzeClasses(packages = "io.accel.nio", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ALL = "io.accel.nio..";
    private static final String NIO = "io.accel.nio";
    private static final String ASYNC = "io.accel.nio.async";
    private static final String NET = "io.accel.nio.net";
    private static final String API = "io.accel";
    private static final String PROFILE = "io.accel.profile";
    private static final String DAEMON = "io.accel.core.daemon";
    private static final String JDK = "io.accel.core.jdk";
    private static final String OBSERVE = "io.accel.core.observe";
    private static final String POLL = "io.accel.core.poll";
    private static final String RUNTIME = "io.accel.core.runtime";
    private static final String SOCKET = "io.accel.core.socket";

    @ArchTest
    static final ArchRule CHANNELS_KNOW_NO_FABRIC = classes()
            .that()
            .resideInAPackage(NIO)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    NIO, API, ASYNC, DAEMON, JDK, OBSERVE, POLL, RUNTIME, SOCKET, PROFILE, "java..", "jdk.net"));

    /** But for what the JDK knows of a program's buffers: its asynchronous channels refuse some, and hold others while they wait. */
    @ArchTest
    static final ArchRule ASYNCHRONOUS_CHANNELS_ARE_BUILT_ON_JAVA_NIO = classes()
            .that()
            .resideInAPackage(ASYNC)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(ASYNC, DAEMON, JDK, "java.."));

    @ArchTest
    static final ArchRule ONLY_THE_PROVIDERS_KNOW_ASYNCHRONOUS_CHANNELS = noClasses()
            .that()
            .resideOutsideOfPackages(NIO, ASYNC)
            .should()
            .dependOnClassesThat(resideInAPackage(ASYNC));

    @ArchTest
    static final ArchRule SOCKETS_KNOW_NO_FABRIC = classes()
            .that()
            .resideInAPackage(NET)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    NET, NIO, API, DAEMON, JDK, OBSERVE, RUNTIME, SOCKET, PROFILE, "java..", "jdk.net"));

    @ArchTest
    static final ArchRule NO_CHANNEL_KNOWS_THE_SOCKETS =
            noClasses().that().resideOutsideOfPackage(NET).should().dependOnClassesThat(resideInAPackage(NET));

    /** The agent, the command line and the doctor are of the drop-in jar's module, which depends on this one. */
    @ArchTest
    static final ArchRule EACH_PACKAGE_HAS_A_RULE_HERE = classes().should().resideInAnyPackage(NIO, ASYNC, NET);

    @ArchTest
    static final ArchRule NOTHING_HERE_IS_NATIVE_OR_INSIDE_THE_JDK = LibraryRules.nothingIsNativeOrInsideTheJdkIn(ALL);

    @ArchTest
    static final ArchRule PROGRAMS_SEE_NO_INTERNAL_TYPES = LibraryRules.onlyTheApiIsShownBy(NIO);
}
