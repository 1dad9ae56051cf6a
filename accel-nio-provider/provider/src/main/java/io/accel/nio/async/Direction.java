// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import java.nio.channels.ReadPendingException;
import java.nio.channels.SelectionKey;
import java.nio.channels.WritePendingException;

/** One of the two directions of a stream. */
enum Direction {
    READING(SelectionKey.OP_READ),
    WRITING(SelectionKey.OP_WRITE);

    private final int operation;

    Direction(int operation) {
        this.operation = operation;
    }

    /** Returns the operation bit of the selection key. */
    int operation() {
        return operation;
    }

    /** Returns the exception for a second operation. */
    IllegalStateException pending() {
        return this == READING ? new ReadPendingException() : new WritePendingException();
    }

    /** Returns the exception for a further operation after one that was given up. */
    IllegalStateException givenUp() {
        return new IllegalStateException((this == READING ? "Reading" : "Writing")
                + " not allowed: an operation before was ended by its timeout or cancelled, and may have moved bytes");
    }
}
