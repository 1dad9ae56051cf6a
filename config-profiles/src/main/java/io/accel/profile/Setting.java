// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/**
 * A key, its value and the value's origin. Immutable.
 *
 * @param <T> the type of the value
 * @param key the key
 * @param value the value in force
 * @param origin the layer that set it
 */
public record Setting<T>(Key<T> key, T value, Origin origin) {
    /** The value as it would stand in a profile. */
    public String text() {
        return key.render(value);
    }

    @Override
    public String toString() {
        return key + "=" + text() + " (" + origin + ")";
    }
}
