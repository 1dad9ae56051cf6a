// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads the usage of this process and of its threads that do the program's work. Reading allocates, so it is done around loops,
 * never in them.
 */
public final class Meter {
    private static final Path KERNEL_IO = Path.of("/proc/self/io");

    private final OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    /** Null if all threads do the program's work. */
    private final long[] program;

    /** A meter for the threads of {@code program}; another thread may read it. */
    public Meter(Thread... program) throws IOException {
        this(Arrays.stream(program).mapToLong(Thread::getId).toArray());
    }

    private Meter(long[] program) throws IOException {
        this.program = program;
        if (threads.isThreadAllocatedMemorySupported()) {
            threads.setThreadAllocatedMemoryEnabled(true);
        }
        begin(); // the first reading loads classes, which must not show in a span
        end();
    }

    /** A meter for all threads that live when it is read. */
    public static Meter ofAllThreads() throws IOException {
        return new Meter((long[]) null);
    }

    /** Called when a span begins: the cost of reading itself is kept out of the span. */
    public Usage begin() throws IOException {
        long kernelBytes = kernelBytes();
        long allocated = allocated();
        return new Usage(process.getProcessCpuTime(), allocated, kernelBytes);
    }

    /** To be called when a span ends. */
    public Usage end() throws IOException {
        long cpu = process.getProcessCpuTime();
        return new Usage(cpu, allocated(), kernelBytes());
    }

    private long allocated() {
        long[] counted = program == null ? threads.getAllThreadIds() : program;
        return Arrays.stream(threads.getThreadAllocatedBytes(counted))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    private static long kernelBytes() throws IOException {
        try {
            long sum = 0;
            for (String line : Files.readAllLines(KERNEL_IO)) {
                if (line.startsWith("rchar: ") || line.startsWith("wchar: ")) {
                    sum += Long.parseLong(line.substring("rchar: ".length()));
                }
            }
            return sum;
        } catch (NoSuchFileException notLinux) {
            return -1;
        }
    }
}
