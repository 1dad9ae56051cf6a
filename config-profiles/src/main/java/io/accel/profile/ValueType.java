// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/**
 * The type of a key's value: its written form, and the values allowed. Immutable.
 *
 * @param <T> the Java type that a program sees
 */
interface ValueType<T> {
    /** The type's name in the reference page, such as {@code size}. */
    String name();

    /** The allowed values, with range and units, to stand behind "allowed: " in an error. */
    String allowed();

    /**
     * Reads a value.
     *
     * @throws BadValueException with the reason if {@code text} is not allowed
     */
    T parse(String text) throws BadValueException;

    /** Writes {@code value} so that {@link #parse} reads it back. */
    String render(T value);
}
