package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;

/** Where Netty has no Unsafe, the allocator's buffers are others than it promises, and it says so. */
class WithoutUnsafeTest {
    private static final String SAID = "-Dio.netty.noUnsafe=false";

    @Test
    void saysThatBuffersAreOrdinaryAndWhatToDo() throws Exception {
        String output = new ChildJvm(Program.class)
                .with("-Dio.netty.noUnsafe=true")
                .run()
                .output();
        assertThat(output).contains("buffers: ordinary");
        assertThat(output.lines().filter(line -> line.contains(SAID)))
                .as(output)
                .hasSize(1)
                .allMatch(line -> line.contains("WARN") && line.contains("io.netty.noUnsafe)"));
    }

    @Test
    void saysNothingOtherwise() throws Exception {
        String output = new ChildJvm(Program.class).with(SAID).run().output();
        assertThat(output).contains("buffers: own").doesNotContain("WARN");
    }

    /** Takes two large buffers. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            for (int i = 0; i < 2; i++) {
                ByteBuf buffer = AccelByteBufAllocator.DEFAULT.directBuffer(1 << 20);
                boolean own = buffer.hasMemoryAddress()
                        && AccelByteBufAllocator.DEFAULT.memory().chunkOf(buffer.memoryAddress(), 1) != null;
                System.out.println("buffers: " + (own ? "own" : "ordinary"));
                buffer.release();
            }
        }
    }
}
