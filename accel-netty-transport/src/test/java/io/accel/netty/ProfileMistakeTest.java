// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** A mistake in the profile is told to the program, which would otherwise run on another transport. */
class ProfileMistakeTest {
    @Test
    void isAnErrorWhateverIsCalledFirst() throws Exception {
        String output = new ChildJvm(Program.class)
                .with("-Daccel.poll.spin=often")
                .run()
                .output();
        assertThat(output.lines().filter(line -> line.contains("ProfileException: -Daccel.poll.spin: poll.spin=often")))
                .as(output)
                .hasSize(5);
        assertThat(output).doesNotContain("went well");
    }

    @Test
    void withoutOneAllIsWell() throws Exception {
        String output =
                new ChildJvm(Program.class).with("-Daccel.poll.spin=5us").run().output();
        assertThat(output.lines().filter(line -> line.contains("went well")))
                .as(output)
                .hasSize(5);
    }

    /** The steps of such programs. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            attempt(Accel::isAvailable);
            attempt(Accel::unavailabilityCause);
            attempt(() -> {
                Accel.ensureAvailability();
                return null;
            });
            attempt(AccelSocketChannel::new);
            attempt(() -> new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory()));
            System.exit(0); // with a group
        }

        private static void attempt(Callable<?> what) {
            try {
                what.call();
                System.out.println("went well");
            } catch (Exception | Error e) {
                System.out.println(e);
            }
        }
    }
}
