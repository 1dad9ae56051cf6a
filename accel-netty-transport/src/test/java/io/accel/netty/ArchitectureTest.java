package io.accel.netty;

import static com.tngtech.archunit.base.DescribedPredicate.allElements;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.accel.PathInfo;

/** The transport depends on what its {@code package-info} says, and on nothing else. */
@AnalyzeClasses(packages = "io.accel.netty", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String NETTY = "io.accel.netty";
    private static final String PROFILE = "io.accel.profile";

    /** What a program may see of Accel by a class of the transport. */
    private static final DescribedPredicate<JavaClass> SHOWN = not(resideInAPackage("io.accel.."))
            .or(resideInAPackage(NETTY).and(modifier(PUBLIC)))
            .or(resideInAPackage(PROFILE))
            .or(type(PathInfo.class))
            .as("types of Accel's API, or of others'");

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
                    "io.accel.core.poll",
                    "io.accel.core.runtime",
                    "io.accel.core.socket",
                    PROFILE,
                    "io.netty..",
                    "java..",
                    "jdk.net"));

    @ArchTest
    static final ArchRule NOTHING_HERE_IS_NATIVE_OR_INSIDE_THE_JDK = noClasses()
            .that()
            .resideInAPackage(NETTY)
            .should()
            .dependOnClassesThat(resideInAnyPackage("jnr..", "com.kenai..", "sun..", "jdk.internal.."));

    /** But for {@link AccelIoHandle}, by which a channel gives the handler what it polls. */
    @ArchTest
    static final ArchRule PROGRAMS_SEE_NO_INTERNAL_TYPES = codeUnits()
            .that()
            .arePublic()
            .and()
            .areDeclaredInClassesThat(
                    resideInAPackage(NETTY).and(modifier(PUBLIC)).and(not(type(AccelIoHandle.class))))
            .should()
            .haveRawReturnType(SHOWN)
            .andShould()
            .haveRawParameterTypes(allElements(SHOWN));
}
