// SPDX-License-Identifier: Apache-2.0
package io.accel.suite;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.accel.core.jdk.JdkAccess;
import io.accel.nio.net.AccelSockets;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** The suite is written against the JDK's API, and each of its tests is found by its package and by its tag. */
@Timeout(60)
@AnalyzeClasses(packages = "io.accel", importOptions = ImportOption.DoNotIncludeTests.class)
class SuiteRulesTest {
    private static final String SUITE = "io.accel.nio.contract..";

    /** {@link JdkAccess} says which channels are the JDK's own; {@link AccelSockets} does the agent's work in a JVM without the agent. */
    @ArchTest
    static final ArchRule THE_SUITE_KNOWS_THE_JDKS_API_ALONE = classes()
            .that()
            .resideInAPackage(SUITE)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                            SUITE,
                            "java..",
                            "jdk.net..",
                            "com.sun.management..",
                            "org.junit.jupiter..",
                            "org.assertj..",
                            "org.awaitility..")
                    .or(type(JdkAccess.class))
                    .or(type(AccelSockets.class)));

    @ArchTest
    static final ArchRule NO_PACKAGE_OF_TESTS_KNOWS_ANOTHER =
            slices().matching("io.accel.nio.contract.(*)").should().notDependOnEachOther();

    @ArchTest
    static final ArchRule WHAT_TESTS_HAVE_IN_COMMON_KNOWS_NO_TEST = noClasses()
            .that()
            .resideInAPackage("io.accel.nio.contract")
            .should()
            .dependOnClassesThat(resideInAPackage("io.accel.nio.contract.*"));

    @ArchTest
    static final ArchRule EACH_TEST_HAS_THE_TAG_OF_ITS_PACKAGE = classes()
            .that()
            .resideInAPackage(SUITE)
            .and()
            .haveSimpleNameEndingWith("Test")
            .should(new ArchCondition<>("have the tag of their package") {
                @Override
                public void check(JavaClass test, ConditionEvents events) {
                    String wanted = test.getPackageName().substring(SUITE.length() - 1);
                    boolean has = Arrays.stream(test.reflect().getAnnotationsByType(Tag.class))
                            .anyMatch(tag -> tag.value().equals(wanted));
                    events.add(
                            new SimpleConditionEvent(test, has, test.getName() + (has ? " has " : " lacks ") + wanted));
                }
            });
}
