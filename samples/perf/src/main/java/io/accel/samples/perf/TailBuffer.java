// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines of a text that may be long. Thread-safe. */
final class TailBuffer {
    private final int capacity;
    private final Deque<String> lines = new ArrayDeque<>();

    TailBuffer(int capacity) {
        this.capacity = capacity;
    }

    synchronized void add(String line) {
        if (lines.size() == capacity) {
            lines.removeFirst();
        }
        lines.addLast(line);
    }

    @Override
    public synchronized String toString() {
        return String.join("\n", lines);
    }
}
