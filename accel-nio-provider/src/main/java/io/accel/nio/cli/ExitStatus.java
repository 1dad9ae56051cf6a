package io.accel.nio.cli;

/** What the command line's exit statuses mean. {@code accel run} otherwise ends with the status of its command. */
final class ExitStatus {
    /** Done, and what was checked is right. */
    static final int OK = 0;

    /** What was checked is wrong, or an error of Accel's own. */
    static final int FAILED = 1;

    /** The command line makes no sense: unknown option, unknown profile, no command. */
    static final int USAGE = 2;

    /** {@code run}: the command exists but cannot be executed. As the shell has it. */
    static final int NOT_EXECUTABLE = 126;

    /** {@code run}: there is no such command. As the shell has it. */
    static final int NOT_FOUND = 127;

    private ExitStatus() {}
}
