// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.BufferUnderflowException;

/**
 * The agent reads the names in one of the program's class files, or refuses the file with an exception that it leaves to the JVM. It never
 * loops for ever.
 */
class ClassFileFuzzTest {
    @FuzzTest
    void classFile(byte[] bytes) {
        try {
            ClassFile file = new ClassFile(bytes);
            assertThat(file.name()).isNotNull();
            assertThat(file.superName()).isNotNull();
        } catch (IllegalArgumentException | IndexOutOfBoundsException | BufferUnderflowException e) {
            assertThat(e).isNotNull(); // the JVM says what is wrong with the class
        }
    }
}
