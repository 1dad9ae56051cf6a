// SPDX-License-Identifier: Apache-2.0
package io.accel.core;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.accel.core.daemon.OutOfLine;
import io.accel.testing.LibraryRules;
import java.nio.MappedByteBuffer;

/** Rules about which package may depend on which. */
@AnalyzeClasses(packages = "io.accel", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String API = "io.accel";
    private static final String CORE = "io.accel.core..";
    private static final String PROFILE = "io.accel.profile";
    private static final String JDK = "io.accel.core.jdk..";
    private static final String STREAM = "io.accel.core.stream..";
    private static final String POLL = "io.accel.core.poll..";
    private static final String OBSERVE = "io.accel.core.observe";
    private static final String DAEMON = "io.accel.core.daemon";
    private static final String FABRIC = "io.accel.core.fabric";
    private static final String SHM = "io.accel.core.fabric.shm..";
    private static final String RDMA = "io.accel.core.fabric.rdma";
    private static final String VERBS = "io.accel.core.fabric.rdma.verbs..";
    private static final String BOOTSTRAP = "io.accel.core.fabric.rdma.bootstrap..";

    @ArchTest
    static final ArchRule CORE_KNOWS_NO_ADAPTER = noClasses()
            .that()
            .resideInAPackage(CORE)
            .should()
            .dependOnClassesThat(resideInAnyPackage("io.accel..")
                    .and(JavaClass.Predicates.resideOutsideOfPackages(API, CORE, PROFILE)));

    /** Otherwise the compiler knows the called class, and inlines it into each caller. */
    @ArchTest
    static final ArchRule WHAT_IS_CALLED_OUT_OF_LINE_IS_HELD_BY_ITS_INTERFACE = fields().that()
            .haveRawType(assignableTo(OutOfLine.Call.class))
            .should()
            .haveRawType(OutOfLine.Call.class)
            .andShould()
            .notBeStatic();

    @ArchTest
    static final ArchRule PROFILES_DEPEND_ON_NOTHING = classes()
            .that()
            .resideInAPackage(PROFILE)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(PROFILE, "java.."));

    @ArchTest
    static final ArchRule WHAT_ALL_ADAPTERS_SHOW_DEPENDS_ON_THE_JDK_ALONE =
            classes().that().resideInAPackage(API).should().onlyDependOnClassesThat(resideInAnyPackage(API, "java.."));

    @ArchTest
    static final ArchRule PROGRAMS_SEE_NO_INTERNAL_TYPES = LibraryRules.onlyTheApiIsShownBy(API, PROFILE);

    @ArchTest
    static final ArchRule THE_STREAM_PROTOCOL_KNOWS_THE_SPI_ALONE = classes()
            .that()
            .resideInAPackage(STREAM)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(STREAM, FABRIC, "java.."));

    @ArchTest
    static final ArchRule THE_STREAM_PROTOCOL_HAS_NO_THREADS_LOCKS_OR_CLOCK = noClasses()
            .that()
            .resideInAPackage(STREAM)
            .should()
            .dependOnClassesThat(resideInAPackage("java.util.concurrent..").or(JavaClass.Predicates.type(Thread.class)))
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    /** But on what the JDK knows of a program's buffers, which are copied from and to a region. */
    @ArchTest
    static final ArchRule THE_FABRIC_SPI_DEPENDS_ON_NOTHING_INTERNAL = classes()
            .that()
            .resideInAPackage(FABRIC)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(FABRIC, API, JDK, "java.."));

    @ArchTest
    static final ArchRule FABRICS_KNOW_NEITHER_STREAMS_NOR_SOCKETS_NOR_POLLERS = classes()
            .that()
            .resideInAPackage("io.accel.core.fabric..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    "io.accel.core.fabric..",
                    API,
                    DAEMON,
                    JDK,
                    OBSERVE,
                    "java..",
                    "jdk.net..",
                    "jnr..",
                    "com.kenai.."));

    @ArchTest
    static final ArchRule THE_POLLER_KNOWS_NO_FABRIC = classes()
            .that()
            .resideInAPackage(POLL)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(POLL, DAEMON, JDK, OBSERVE, "java.."));

    @ArchTest
    static final ArchRule OBSERVATION_DEPENDS_ON_NOTHING_THAT_WORKS = classes()
            .that()
            .resideInAPackage(OBSERVE)
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage(OBSERVE, API, DAEMON, JDK, PROFILE, "java..", "jdk.jfr..", "jdk.net"));

    /** Libraries of metrics are for {@code io.accel.metrics}. */
    @ArchTest
    static final ArchRule WHAT_PROGRAMS_ARE_SHOWN_OF_COUNTERS_NEEDS_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage(OBSERVE + ".metrics")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage(OBSERVE, OBSERVE + ".metrics", DAEMON, "java..", "javax.management.."));

    @ArchTest
    static final ArchRule ONLY_SHARED_MEMORY_IS_MAPPED_FILES = noClasses()
            .that()
            .resideOutsideOfPackages(SHM, JDK)
            .should()
            .dependOnClassesThat(JavaClass.Predicates.type(MappedByteBuffer.class));

    @ArchTest
    static final ArchRule ONLY_VERBS_KNOWS_NATIVE_ADDRESSES = noClasses()
            .that()
            .resideOutsideOfPackage(VERBS)
            .should()
            .dependOnClassesThat(resideInAnyPackage("jnr..", "com.kenai.."));

    /** In the drop-in jar another class loader defines them, so a class that linked to them would get other ones. */
    @ArchTest
    static final ArchRule NOBODY_LINKS_TO_WHAT_ANOTHER_CLASS_LOADER_DEFINES = noClasses()
            .that()
            .resideOutsideOfPackages(RDMA, VERBS)
            .should()
            .dependOnClassesThat(resideInAnyPackage(RDMA, VERBS));

    @ArchTest
    static final ArchRule WHAT_LOADS_RDMA_KNOWS_THE_SPI_ALONE = classes()
            .that()
            .resideInAPackage(BOOTSTRAP)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(BOOTSTRAP, API, FABRIC, "java.."));

    @ArchTest
    static final ArchRule ONLY_ONE_PACKAGE_REACHES_INTO_THE_JDK = noClasses()
            .that()
            .resideOutsideOfPackage(JDK)
            .should()
            .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal.."));

    @ArchTest
    static final ArchRule THE_WAY_INTO_THE_JDK_DEPENDS_ON_IT_ALONE = classes()
            .that()
            .resideInAPackage(JDK)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(JDK, DAEMON, "java..", "sun..", "jdk.."));

    @ArchTest
    static final ArchRule DAEMONS_DEPEND_ON_THE_JDK_ALONE = classes()
            .that()
            .resideInAPackage(DAEMON)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(DAEMON, "java.."));

    /** They would keep the class loader, thread locals and rights of the program's thread that came first. */
    @ArchTest
    static final ArchRule ONLY_DAEMONS_MAKES_THREADS = noClasses()
            .that()
            .resideInAPackage(CORE)
            .and()
            .resideOutsideOfPackage(DAEMON)
            .should()
            .callConstructorWhere(JavaCall.Predicates.target(
                    HasOwner.Predicates.With.owner(JavaClass.Predicates.assignableTo(Thread.class))));

    @ArchTest
    static final ArchRule NO_PACKAGES_DEPEND_ON_EACH_OTHER =
            SlicesRuleDefinition.slices().matching("io.accel.(**)").should().beFreeOfCycles();
}
