// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/**
 * A mistake in a profile. Immutable.
 *
 * @param origin the place of the mistake
 * @param message the mistake, the allowed values, and the nearest valid name if one is near; without the place
 */
public record Problem(Origin origin, String message) {
    /**
     * The place and the message in one line: {@code my.properties:3: unknown key 'ring.sise'; did you mean
     * 'ring.size'?}.
     */
    @Override
    public String toString() {
        String place = origin.kind() == Origin.Kind.PRESET ? origin + ":" + origin.line() : origin.toString();
        return place + ": " + message;
    }
}
