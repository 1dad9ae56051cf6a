// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

/** The bytes that arrived are not the bytes that were sent. Never to be taken for a connection that was cut. */
final class WrongBytesException extends Exception {
    private static final long serialVersionUID = 1;

    WrongBytesException(String message) {
        super(message);
    }
}
