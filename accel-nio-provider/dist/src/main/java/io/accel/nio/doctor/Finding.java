// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

/**
 * The result of one check.
 *
 * @param check the check's stable name, such as {@code shm.live}
 * @param status how good it is
 * @param found the finding, in one line
 * @param advice the remedy; null if there is nothing to do
 */
public record Finding(String check, Status status, String found, String advice) {
    /** How good a finding is. */
    public enum Status {
        /** The checked part is as it should be, or not needed. */
        OK,
        /** The checked part works, though not as well as it could, or not for long. */
        WARNING,
        /** A feature that this machine could have does not work. */
        FAIL
    }

    static Finding ok(String check, String found) {
        return new Finding(check, Status.OK, found, null);
    }

    static Finding warning(String check, String found, String advice) {
        return new Finding(check, Status.WARNING, found, advice);
    }

    static Finding fail(String check, String found, String advice) {
        return new Finding(check, Status.FAIL, found, advice);
    }
}
