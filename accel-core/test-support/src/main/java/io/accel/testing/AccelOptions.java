// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Options of JVMs whose connections a test expects on a faster path, however busy the machine is. */
public final class AccelOptions {
    /**
     * Options that give a connection the time of a slow machine to leave the kernel. The property {@code patient.options} of the root
     * {@code pom.xml} is the same, for JVMs that Maven starts.
     */
    public static final List<String> PATIENT =
            List.of("-Daccel.connect.probe-timeout=10s", "-Daccel.handshake.timeout=20s");

    /** Options with which connections leave the kernel before they are used, where they can. */
    public static final List<String> AT_ONCE = join("-Daccel.handover.after=connect", PATIENT);

    private AccelOptions() {}

    /**
     * As {@link #AT_ONCE}, for processes of one test alone.
     *
     * @param shared the directory of their shared memory
     * @return the options
     */
    public static List<String> atOnceIn(Path shared) {
        return join("-Daccel.shm.dir=" + shared, AT_ONCE);
    }

    private static List<String> join(String first, List<String> others) {
        return Stream.concat(Stream.of(first), others.stream()).toList();
    }
}
