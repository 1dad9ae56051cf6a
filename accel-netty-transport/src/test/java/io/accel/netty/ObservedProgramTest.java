// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.ObservedProcess;
import io.accel.testing.ChildJvm;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Set;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that has Accel by the transport alone can be looked at as any other. */
class ObservedProgramTest {
    @TempDir
    private Path shared;

    @Test
    void metricsAndStats() throws Exception {
        String output = new ChildJvm(Program.class)
                .with("-Daccel.metrics=jmx", "-Daccel.shm.dir=" + shared)
                .run()
                .output();
        assertThat(output).contains("to be seen by accel stats", "in JMX");
    }

    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            Accel.ensureAvailability();
            Path shared = Path.of(System.getProperty("accel.shm.dir"));
            while (ObservedProcess.find(shared).isEmpty()) {
                Thread.sleep(1); // until the test ends this
            }
            System.out.println("to be seen by accel stats");
            Set<ObjectName> found = Set.of();
            while (found.isEmpty()) {
                found = ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName("io.accel:*"), null);
                Thread.sleep(1);
            }
            System.out.println("in JMX: " + found);
        }
    }
}
