// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A program of another project. The marked test runs it with Accel, and asserts that it was accelerated. docs/COMPATIBILITY.md is generated
 * from these marks: it has a program exactly if a test is marked with it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
@Repeatable(RealProgram.All.class)
public @interface RealProgram {
    /** The fabrics that carry the program's bytes in the test. */
    enum Fabric {
        SHM,
        RDMA
    }

    /** As the page calls it. */
    String name();

    /** {@code groupId:artifactId} of a dependency of the test's module, whose version is the program's; empty for a part of the JDK. */
    String artifact() default "";

    /** The way in which the test uses the program, as the page says it. */
    String how();

    Fabric[] over() default Fabric.SHM;

    /** Whether {@code ./accel test} runs the test with {@code --all} alone. */
    boolean onlyWithAll() default false;

    /** Several programs of one test. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.SOURCE)
    @interface All {
        RealProgram[] value();
    }
}
