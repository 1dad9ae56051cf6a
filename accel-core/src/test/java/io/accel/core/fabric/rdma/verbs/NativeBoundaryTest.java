// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The package is the only place where native calls are made, and it knows nothing of what is built on it. */
class NativeBoundaryTest {
    private static final String HERE = "io.accel.core.fabric.rdma.verbs";

    private final JavaClasses core =
            new ClassFileImporter(List.of(new ImportOption.DoNotIncludeTests())).importPackages("io.accel");

    @Test
    void nothingElseKnowsJnr() {
        noClasses()
                .that()
                .resideOutsideOfPackage(HERE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jnr..", "com.kenai.jffi..")
                .allowEmptyShould(true)
                .check(core);
    }

    @Test
    void itDependsOnNothingElseOfAccel() {
        noClasses()
                .that()
                .resideInAPackage(HERE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.accel.core",
                        "io.accel.core.socket..",
                        "io.accel.core.stream..",
                        "io.accel.core.datagram..",
                        "io.accel.core.fabric",
                        "io.accel.core.fabric.shm..",
                        "io.accel.core.fabric.rdma",
                        "io.accel.core.poll..",
                        "io.accel.core.observe..",
                        "io.accel.profile..")
                .check(core);
    }
}
