package io.accel.profile;

/**
 * One thing wrong with a profile. Immutable.
 *
 * @param origin where it stands
 * @param message what is wrong, what is allowed, and the nearest valid name if one is near; without the place
 */
public record Problem(Origin origin, String message) {
    /** Place and message in one line: {@code my.properties:3: unknown key 'ring.sise'; did you mean 'ring.size'?}. */
    @Override
    public String toString() {
        String place = origin.kind() == Origin.Kind.PRESET ? origin + ":" + origin.line() : origin.toString();
        return place + ": " + message;
    }
}
