// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

/** The exit statuses of the command line. {@code accel run} otherwise ends with the status of its command. */
final class ExitStatus {
    /** The command is done, and found nothing wrong. */
    static final int OK = 0;

    /** The command found something wrong, or Accel itself failed. */
    static final int FAILED = 1;

    /** The command line makes no sense: unknown option, unknown profile, no command. */
    static final int USAGE = 2;

    /** {@code run}: the command exists but cannot be executed. Shells use the same status. */
    static final int NOT_EXECUTABLE = 126;

    /** {@code run}: there is no such command. Shells use the same status. */
    static final int NOT_FOUND = 127;

    private ExitStatus() {}
}
