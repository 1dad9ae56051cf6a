package io.accel.nio.async;

import java.nio.channels.ReadPendingException;
import java.nio.channels.SelectionKey;
import java.nio.channels.WritePendingException;

/** Of the two directions of a stream, which. */
enum Direction {
    READING(SelectionKey.OP_READ),
    WRITING(SelectionKey.OP_WRITE);

    private final int operation;

    Direction(int operation) {
        this.operation = operation;
    }

    /** The selection key's. */
    int operation() {
        return operation;
    }

    /** Why there cannot be a second operation. */
    IllegalStateException pending() {
        return this == READING ? new ReadPendingException() : new WritePendingException();
    }

    /** Why there can be no further operation after one that was given up. */
    IllegalStateException givenUp() {
        return new IllegalStateException((this == READING ? "Reading" : "Writing")
                + " not allowed: an operation before was ended by its timeout or cancelled, and may have moved bytes");
    }
}
