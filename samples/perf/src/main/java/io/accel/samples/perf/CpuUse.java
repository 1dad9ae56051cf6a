// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.regex.Pattern;

/**
 * The work that a thread used the processor for, as its stack shows it in async-profiler's names of frames: methods of Java's
 * with their classes, functions of native code by themselves. The order is that of tables.
 */
enum CpuUse {
    /** System calls on sockets and for selectors, including the kernel's part, whoever made them. */
    SOCKET_CALLS("socket calls"),
    /** The JDK's and Netty's classes for channels and selectors, including those under Accel's own. */
    CHANNELS("channels"),
    /** Accel's classes, and the work of the JDK's other classes for them. */
    ACCEL("Accel"),
    /** Threads that hand work to each other, or wait for each other: park and unpark, monitors, yields. */
    THREADS("threads"),
    /** Compilers, the garbage collector and the rest of the JVM. */
    JVM("JVM"),
    /** Everything else: the program, its libraries and its files. */
    PROGRAM("program");

    private static final Pattern JAVA = Pattern.compile("[\\w$]+/[^:; ]*\\.[\\w$<>]+|[A-Z][\\w$]*\\.[\\w$<>]+");

    /** Classes whose native methods are system calls on sockets; Netty may have been moved to another package. */
    private static final Pattern OF_SOCKETS =
            Pattern.compile("(?:sun/nio/ch|java/net)/.*|(?:.*/)?netty/channel/(?:epoll|unix|uring)/.*");

    private static final Pattern OF_FILES = Pattern.compile(
            "(?:sun/nio/ch/FileChannelImpl|java/io/File\\w*|java/io/RandomAccessFile|sun/nio/fs/\\w+)\\..*");

    private static final Pattern OF_CHANNELS = Pattern.compile(
            "(?:sun/nio/ch|java/nio/channels|java/net)/.*|(?:.*/)?netty/channel/(?:nio|epoll|unix|uring|socket)/.*");

    private static final Pattern HANDS_OVER = Pattern.compile("jdk/internal/misc/Unsafe\\.(?:un)?park"
            + "|java/lang/Object\\.(?:wait|notify)\\w*|java/lang/Thread\\.(?:yield|sleep|onSpinWait)\\w*");

    private static final Pattern OF_ACCEL = Pattern.compile("io/accel/(?!samples/|shaded/).*");

    /** Methods that work for their callers. */
    private static final Pattern OF_LIBRARIES =
            Pattern.compile("(?:java|javax|jdk|sun|jnr|com/kenai/jffi|io/accel/shaded)/.*");

    /** A file's channel class is at most so far above the system call. */
    private static final int FILE_DEPTH = 6;

    final String label;

    CpuUse(String label) {
        this.label = label;
    }

    /** @param frames the stack, from the thread's first method to where the thread was */
    static CpuUse of(String... frames) {
        int method = frames.length - 1;
        while (method >= 0 && !isJava(frames[method])) {
            method--;
        }
        if (method < 0) {
            return JVM;
        }
        String nearest = frames[method];
        CpuUse owner = owner(frames, method);
        if (HANDS_OVER.matcher(nearest).matches()) {
            return owner == ACCEL ? ACCEL : THREADS;
        }
        boolean inLibrary = method < frames.length - 1 && !frames[method + 1].contains("::");
        if (inLibrary && OF_SOCKETS.matcher(nearest).matches() && owner == CHANNELS) {
            return SOCKET_CALLS;
        }
        return owner;
    }

    /** The owner of the work of the method at {@code from}: itself, or the first caller that belongs to no library. */
    private static CpuUse owner(String[] frames, int from) {
        if (isAboutFiles(frames, from)) {
            return PROGRAM;
        }
        for (int i = from; i >= 0; i--) {
            String frame = frames[i];
            if (OF_ACCEL.matcher(frame).matches()) {
                return ACCEL;
            }
            if (OF_CHANNELS.matcher(frame).matches()) {
                return CHANNELS;
            }
            if (isJava(frame) && !OF_LIBRARIES.matcher(frame).matches()) {
                return PROGRAM;
            }
        }
        return PROGRAM;
    }

    private static boolean isAboutFiles(String[] frames, int from) {
        for (int i = from; i >= Math.max(0, from - FILE_DEPTH); i--) {
            if (OF_FILES.matcher(frames[i]).matches()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isJava(String frame) {
        return JAVA.matcher(frame).matches();
    }
}
