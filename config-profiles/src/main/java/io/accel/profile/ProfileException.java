// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A profile that cannot be used. The message has a line for each problem: file and line (or the system property), key,
 * the bad value, what is allowed, and the nearest valid name.
 */
public final class ProfileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    ProfileException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining(System.lineSeparator())));
        this.problems = List.copyOf(problems);
    }

    /** All mistakes, not only the first; empty in a copy that was serialized. */
    public List<Problem> problems() {
        return problems == null ? List.of() : problems;
    }
}
