// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The file that is never readable, to which descriptors lead whose own file has to go before their owners close them. */
final class SilentFile {
    /** -1 before it is needed; then open as long as the process lives. Guarded by the class. */
    private static int descriptor = -1;

    private SilentFile() {}

    /** Has a descriptor lead to this file. Any thread. */
    static synchronized void replaceThatOf(int fd) throws VerbsException {
        if (descriptor < 0) {
            descriptor = LibC.eventFile();
        }
        LibC.redirect(fd, descriptor);
    }
}
