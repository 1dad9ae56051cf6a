// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

/** What arrived is not what was sent. Never to be taken for a connection that was cut. */
final class WrongBytesException extends Exception {
    private static final long serialVersionUID = 1;

    WrongBytesException(String message) {
        super(message);
    }
}
