// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import io.accel.testing.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Lets the first system calls fail by which each thread of a running program opens a descriptor, accepts or connects, by strace. To be
 * closed by whoever made it, after which the calls work as before.
 */
public final class FailingCalls implements AutoCloseable {
    /** Some architectures lack those with a question mark. */
    private static final String CALLS =
            "socket,connect,?accept,accept4,?pipe,pipe2,?epoll_create,epoll_create1,eventfd2";

    private static final Duration ATTACH = Duration.ofSeconds(30);

    private final Child strace;

    private FailingCalls(Child strace) {
        this.strace = strace;
    }

    /** Whether this user may trace a program that runs already. */
    public static boolean arePossible() {
        try {
            return "root".equals(System.getProperty("user.name"))
                    || Files.readString(Path.of("/proc/sys/kernel/yama/ptrace_scope"))
                            .strip()
                            .equals("0");
        } catch (IOException e) {
            return true; // a kernel that has no such limit
        }
    }

    /**
     * Begins.
     *
     * @param program the program
     * @param error how the calls fail, such as {@code ENFILE}
     * @param times how many of each thread's calls of one kind fail
     */
    public static FailingCalls of(Child program, String error, int times) {
        Child strace = Child.start(
                "strace",
                new ProcessBuilder(
                        "strace",
                        "-f",
                        "-p",
                        Long.toString(program.pid()),
                        "-o",
                        "/dev/null",
                        "-e",
                        "inject=" + CALLS + ":error=" + error + ":when=1.." + times));
        FailingCalls calls = new FailingCalls(strace);
        try {
            strace.awaitLine("strace: Process " + program.pid() + " attached", ATTACH);
            return calls;
        } catch (RuntimeException | Error e) {
            calls.close();
            throw e;
        }
    }

    /** Whether this goes on. */
    public boolean isOn() {
        return strace.isAlive();
    }

    @Override
    public void close() {
        strace.close(); // the kernel detaches what it has traced
    }
}
