// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A program that nobody here wrote, which the marked test runs accelerated, and of which it asserts that it was. docs/COMPATIBILITY.md is
 * made of these marks: it has a program exactly if a test is marked with it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.SOURCE)
@Repeatable(RealProgram.All.class)
public @interface RealProgram {
    /** What carries the program's bytes in the test. */
    enum Fabric {
        SHM,
        RDMA
    }

    /** As the page calls it. */
    String name();

    /** {@code groupId:artifactId} of a dependency of the test's module, whose version is the program's; empty for a part of the JDK. */
    String artifact() default "";

    /** What is done with it, as the page says it. */
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
