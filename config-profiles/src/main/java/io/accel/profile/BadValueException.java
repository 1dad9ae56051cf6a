// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** Reports that a text is not a value of its type; the message is a reason without the place, which the reader adds. */
final class BadValueException extends Exception {
    private static final long serialVersionUID = 1L;

    BadValueException(String reason) {
        super(reason);
    }
}
