// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.lang.ArchRule;

/** The architecture rules for every jar that programs depend on. Stateless. */
public final class LibraryRules {
    private LibraryRules() {}

    /**
     * Returns the rule that the public types of these packages show programs no internal type: in no signature, field, supertype or
     * type argument.
     *
     * @param packages the packages, without their subpackages
     */
    public static ArchRule onlyTheApiIsShownBy(String... packages) {
        return classes()
                .that(resideInAnyPackage(packages))
                .and()
                .arePublic()
                .should(new ShowTheApiAlone())
                .because("all else is internal, and changes without notice");
    }

    /**
     * Returns the rule that a jar makes no native calls, and leaves the JDK's inside to the core.
     *
     * @param packages the jar's packages, in ArchUnit's form
     */
    public static ArchRule nothingIsNativeOrInsideTheJdkIn(String packages) {
        return noClasses()
                .that(resideInAPackage(packages))
                .should()
                .dependOnClassesThat(resideInAnyPackage("jnr..", "com.kenai..", "sun..", "jdk.internal.."))
                .because("one package of the core makes native calls, and one reaches into the JDK");
    }
}
