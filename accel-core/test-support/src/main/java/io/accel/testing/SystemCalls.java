// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the system calls of a program that ran behind {@code strace -f -o TRACE}. */
public final class SystemCalls {
    /** The calls that read, write and wait for descriptors, as strace takes them. */
    public static final String ON_DESCRIPTORS =
            "read,write,readv,writev,recvfrom,sendto,recvmsg,sendmsg,poll,ppoll,select,pselect6,"
                    + "epoll_wait,epoll_pwait,epoll_pwait2,epoll_ctl";

    /** A thread's id, and the call; the end of a call that another thread's call interrupted has no parenthesis behind its name. */
    private static final Pattern CALL = Pattern.compile("^\\d+ +(\\w+)\\((.*)");

    private SystemCalls() {}

    /**
     * The calls between two lines that the program wrote to its standard output.
     *
     * @param trace the trace
     * @param begin the beginning of the first line
     * @param end the beginning of the second
     * @return how often each call was made, by its name
     * @throws IOException if the trace cannot be read
     * @throws AssertionError if the trace does not go on to the second line
     */
    public static Map<String, Double> between(Path trace, String begin, String end) throws IOException {
        Map<String, Double> calls = new TreeMap<>();
        boolean counts = false;
        boolean ended = false;
        for (String line : Files.readAllLines(trace)) {
            Matcher call = CALL.matcher(line);
            if (!call.matches()) {
                continue;
            }
            if (call.group(2).startsWith("1, \"" + begin)) {
                counts = true;
            } else if (call.group(2).startsWith("1, \"" + end)) {
                ended = true;
                counts = false;
            } else if (counts) {
                calls.merge(call.group(1), 1.0, Double::sum);
            }
        }
        if (!ended) {
            throw new AssertionError(trace + " does not go on to the end");
        }
        return calls;
    }
}
