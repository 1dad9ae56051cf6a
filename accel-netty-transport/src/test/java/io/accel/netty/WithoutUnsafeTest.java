// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.OrdinaryBuffers;
import io.accel.testing.ChildJvm;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * If Netty has no Unsafe, the allocator still gives its own buffers if the JDK tells a buffer's address, as it does from Java 22
 * on. Otherwise it gives ordinary buffers, and says so.
 */
class WithoutUnsafeTest {
    private static final String SAID = "-Dio.netty.noUnsafe=false";
    private static final int FIRST_THAT_TELLS = 22;

    private static String run(String... options) throws Exception {
        return new ChildJvm(Program.class).with(options).run().orderly();
    }

    @Test
    void buffersAreOwnOnANewerJavaAndOtherwiseItSaysThatTheyAreOrdinaryAndWhatToDo() throws Exception {
        String output = run("-Dio.netty.noUnsafe=true");
        if (Runtime.version().feature() >= FIRST_THAT_TELLS) {
            assertThat(output)
                    .contains(
                            "buffers: own, SafeSendByteBuf",
                            "slice: own",
                            "grown: 100000 bytes, as written",
                            "without address: 0")
                    .doesNotContain("WARN");
        } else {
            assertThat(output).contains("buffers: ordinary", "without address: 3");
            assertThat(output.lines().filter(line -> line.contains(SAID)))
                    .as(output)
                    .hasSize(1)
                    .allMatch(line -> line.contains("WARN") && line.contains("io.netty.noUnsafe)"));
        }
    }

    /** The suite may run on a JDK that does not tell the address; if there is also a newer JDK, this shows that it does. */
    @Test
    @EnabledIfSystemProperty(named = "newer.jdk", matches = ".+", disabledReason = "needs -Dnewer.jdk")
    void buffersAreOwnOnTheNewerJavaWithoutAnOption() throws Exception {
        String output = new ChildJvm(Program.class)
                .on(Path.of(System.getProperty("newer.jdk")))
                .run()
                .orderly();
        assertThat(output)
                .contains("buffers: own", "slice: own", "grown: 100000 bytes, as written")
                .doesNotContain("buffers: ordinary")
                .doesNotContain("WARN");
    }

    @Test
    void saysOnceThatThereIsNoMoreMemoryAndWhatToSet() throws Exception {
        String output = run("-Daccel.zero-copy.memory=1MiB", SAID); // less than it takes at a time
        assertThat(output).contains("buffers: ordinary", "without address: 0", "without memory: 3");
        assertThat(output.lines().filter(line -> line.contains("set zero-copy.memory higher")))
                .as(output)
                .hasSize(1)
                .allMatch(line -> line.contains("WARN") && line.contains("has 0 bytes and gets no more"));
    }

    @Test
    void saysNothingWhereAProfileLeavesItNoMemory() throws Exception {
        assertThat(run("-Daccel.zero-copy.memory=0", SAID))
                .contains("buffers: ordinary", "without memory: 3")
                .doesNotContain("WARN");
    }

    @Test
    void saysNothingOtherwise() throws Exception {
        assertThat(run(SAID)).contains("buffers: own, SendByteBuf").doesNotContain("WARN");
    }

    /** Takes two large buffers, and lets one grow beyond its slot. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            for (int i = 0; i < 2; i++) {
                ByteBuf buffer = AccelByteBufAllocator.DEFAULT.directBuffer(1 << 20);
                ByteBuf own = buffer.unwrap() == null ? buffer : buffer.unwrap(); // of what looks for leaks
                System.out.println(
                        "buffers: " + place(buffer) + ", " + own.getClass().getSimpleName());
                System.out.println("slice: " + place(buffer.slice(1 << 19, 100)));
                buffer.release();
            }
            ByteBuf grows = AccelByteBufAllocator.DEFAULT.directBuffer(1 << 16);
            for (int i = 0; i < 100_000; i++) {
                grows.writeByte(i);
            }
            int right = 0;
            while (grows.isReadable() && grows.readByte() == (byte) right) {
                right++;
            }
            System.out.println("grown: " + right + " bytes, as written");
            grows.release();
            System.out.println("without address: " + OrdinaryBuffers.count(OrdinaryBuffers.Why.NO_ADDRESS));
            System.out.println("without memory: " + OrdinaryBuffers.count(OrdinaryBuffers.Why.NO_MEMORY));
        }

        private static String place(ByteBuf buffer) {
            boolean own = buffer.hasMemoryAddress()
                    && AccelByteBufAllocator.DEFAULT.memory().chunkOf(buffer.memoryAddress(), 1) != null;
            return own ? "own" : "ordinary";
        }
    }
}
