package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.jdk.JdkAccess;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links take no descriptors that the program may need. */
class DescriptorReserveTest {
    @Test
    void whatIsTheProgramsIsNotTaken() {
        assertThatCode(() -> DescriptorReserve.check(255, 1024)).doesNotThrowAnyException();
        assertThatThrownBy(() -> DescriptorReserve.check(256, 1024))
                .isInstanceOfSatisfying(FallbackException.class, e -> {
                    assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES);
                    assertThat(e.isPassing()).isTrue();
                })
                .hasMessageContaining("256 of the 1024 file descriptors")
                .hasMessageContaining("ulimit -n");
    }

    @Test
    void whereThereAreFewTheJvmHasItsOwn() {
        assertThatCode(() -> DescriptorReserve.check(127, 300)).doesNotThrowAnyException();
        assertThatThrownBy(() -> DescriptorReserve.check(128, 300)).isInstanceOf(FallbackException.class);
        assertThatThrownBy(() -> DescriptorReserve.check(80, 160)).isInstanceOf(FallbackException.class);
    }

    @Test
    void withoutALimitAnyNumberIsTaken() {
        assertThatCode(() -> DescriptorReserve.check(1_000_000, 0)).doesNotThrowAnyException();
        assertThatCode(() -> DescriptorReserve.check(-1, 1024)).doesNotThrowAnyException();
    }

    @Test
    void theLimitIsTheOneInForce(@TempDir Path dir) throws Exception {
        Path limits = Files.writeString(dir.resolve("limits"), """
                Limit                     Soft Limit           Hard Limit           Units
                Max processes             95993                95993                processes
                Max open files            1024                 524288               files
                """);
        assertThat(DescriptorReserve.limit(limits)).isEqualTo(1024);
        Files.writeString(limits, "Max open files            unlimited            unlimited            files\n");
        assertThat(DescriptorReserve.limit(limits)).isZero();
        assertThat(DescriptorReserve.limit(dir.resolve("none"))).isZero();
    }

    @Test
    void numbersAreTheKernels() throws Exception {
        try (SocketChannel one = JdkAccess.kernelProvider().openSocketChannel()) {
            int number = JdkAccess.descriptor(one);
            assertThat(Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(number)))
                            .toString())
                    .startsWith("socket:");
        }
    }
}
