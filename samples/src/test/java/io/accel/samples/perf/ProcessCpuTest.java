package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessCpuTest {
    @Test
    void whatThisProcessUsesIsSeen() throws Exception {
        ProcessCpu cpu = new ProcessCpu(ProcessHandle.current().pid());
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(100)) {
            Thread.onSpinWait();
        }
        // On a busy machine this thread may not have had the whole time.
        assertThat(cpu.used()).isBetween(TimeUnit.MILLISECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(60));
    }
}
