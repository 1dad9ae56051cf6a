package io.accel.core.poll;

import io.accel.core.jdk.VirtualThreads;
import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * How long the current thread was kept waiting for a core, as the kernel accounts it in {@code /proc/thread-self/schedstat}. The
 * file is opened once for each thread that asks and goes with the thread; a reading takes 2 us. Thread-safe.
 */
final class RunDelay {
    /** The kernel's account of the current thread, and of the process's share of time. */
    static final WaitPolicy.Senses SENSES = new WaitPolicy.Senses() {
        @Override
        public long runDelay() {
            return ofCurrentThread();
        }

        @Override
        public int surplus() {
            return RunnableThreads.surplus();
        }

        @Override
        public long throttled() {
            return CpuQuota.OF_PROCESS.throttled();
        }
    };

    private static final String FILE = "/proc/thread-self/schedstat";
    private static final ThreadLocal<RunDelay> OF_THREAD = ThreadLocal.withInitial(RunDelay::new);

    /** Null if it cannot be had. Not a FileChannel, which an interrupt would close. */
    private final RandomAccessFile file;

    private final byte[] bytes = new byte[96];

    private RunDelay() {
        RandomAccessFile opened;
        try {
            opened = new RandomAccessFile(FILE, "r");
        } catch (IOException e) {
            opened = null; // another system than Linux, or one that does not show it: unknown
        }
        file = opened;
    }

    /** In nanoseconds; -1 if unknown: a virtual thread has none of its own. */
    static long ofCurrentThread() {
        return VirtualThreads.isCurrent() ? -1 : OF_THREAD.get().read();
    }

    private long read() {
        if (file == null) {
            return -1;
        }
        try {
            file.seek(0);
            return second(bytes, file.read(bytes));
        } catch (IOException e) {
            return -1;
        }
    }

    /** The second of some numbers with a space between them; -1 if there is none. */
    static long second(byte[] text, int length) {
        int i = 0;
        while (i < length && text[i] != ' ') {
            i++;
        }
        long value = 0;
        int digits = 0;
        for (i++; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
            value = value * 10 + (text[i] - '0');
            digits++;
        }
        return digits == 0 ? -1 : value;
    }
}
