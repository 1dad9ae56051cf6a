package io.accel.nio.doctor;

/**
 * What one check has found.
 *
 * @param check its stable name, such as {@code shm.live}
 * @param status how it is
 * @param found what there is, in one line
 * @param advice what to do about it; null if there is nothing to do
 */
public record Finding(String check, Status status, String found, String advice) {
    /** How good it is. */
    public enum Status {
        /** As it should be, or not needed. */
        OK,
        /** It works, though not as well as it could, or not for long. */
        WARNING,
        /** Something that this machine could have does not work. */
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
