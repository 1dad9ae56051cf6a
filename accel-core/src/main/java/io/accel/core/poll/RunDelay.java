// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.jdk.VirtualThreads;

/**
 * How long the current thread was kept waiting for a core, as the kernel accounts it in {@code /proc/thread-self/schedstat}. A
 * reading takes about 10 us. The file is not kept open: a program may have more threads than descriptors to spare. Thread-safe.
 */
final class RunDelay {
    /** The kernel's accounts: of the current thread, of all runnable threads, and of the process's share of time. */
    static final WaitPolicy.Senses SENSES = new WaitPolicy.Senses() {
        @Override
        public long runDelay() {
            return VirtualThreads.isCurrent() ? -1 : ofCurrentThread(); // a virtual thread has no account of its own
        }

        @Override
        public int surplus() {
            return RunnableThreads.surplus();
        }

        @Override
        public long throttled() {
            return CpuQuota.OF_PROCESS.throttled();
        }

        @Override
        public long unusedYield() {
            return UnusedYield.nanos();
        }
    };

    private static final String FILE = "/proc/thread-self/schedstat";

    private RunDelay() {}

    /** The delay in nanoseconds; -1 if unknown: on a system other than Linux, or one that does not show it. */
    static long ofCurrentThread() {
        return second(ProcFile.read(FILE));
    }

    /** The second of several numbers with a space between them; -1 if there is none. */
    static long second(String text) {
        return ProcFile.number(text, 1);
    }
}
