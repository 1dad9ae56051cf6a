// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import java.util.Arrays;

/**
 * A state of a model: shared words, each thread's registers, place and store buffer. A thread sees its own buffered stores;
 * others see them when they have drained, in order, at any later time.
 */
final class Memory {
    private static final int BUFFER = 4;

    private final int[] words;
    private final int[] places;
    private final int[][] registers;
    /** Per thread: count, then pairs of word and value, oldest first. */
    private final int[][] buffers;

    Memory(int words, int threads, int registersEach) {
        this.words = new int[words];
        this.places = new int[threads];
        this.registers = new int[threads][registersEach];
        this.buffers = new int[threads][1 + 2 * BUFFER];
    }

    private Memory(Memory other) {
        this.words = other.words.clone();
        this.places = other.places.clone();
        this.registers = deep(other.registers);
        this.buffers = deep(other.buffers);
    }

    Memory copy() {
        return new Memory(this);
    }

    int place(int thread) {
        return places[thread];
    }

    void go(int thread, int place) {
        places[thread] = place;
    }

    int register(int thread, int register) {
        return registers[thread][register];
    }

    void register(int thread, int register, int value) {
        registers[thread][register] = value;
    }

    /** A load as the thread sees it. */
    int load(int thread, int word) {
        int[] buffer = buffers[thread];
        for (int i = buffer[0] - 1; i >= 0; i--) {
            if (buffer[1 + 2 * i] == word) {
                return buffer[2 + 2 * i];
            }
        }
        return words[word];
    }

    /** The value in memory, whatever store buffers hold for it. */
    int word(int word) {
        return words[word];
    }

    void word(int word, int value) {
        words[word] = value;
    }

    boolean hasRoom(int thread) {
        return buffers[thread][0] < BUFFER;
    }

    boolean isDrained(int thread) {
        return buffers[thread][0] == 0;
    }

    /** A plain or release store: it leaves the thread now and reaches memory later. */
    void buffer(int thread, int word, int value) {
        int[] buffer = buffers[thread];
        int at = buffer[0]++;
        buffer[1 + 2 * at] = word;
        buffer[2 + 2 * at] = value;
    }

    /** The oldest buffered store reaches memory. */
    void drainOne(int thread) {
        int[] buffer = buffers[thread];
        words[buffer[1]] = buffer[2];
        int left = --buffer[0];
        System.arraycopy(buffer, 3, buffer, 1, 2 * left);
        Arrays.fill(buffer, 1 + 2 * left, buffer.length, 0);
    }

    /** Equal for equal states. */
    String key() {
        return Arrays.toString(words)
                + Arrays.toString(places)
                + Arrays.deepToString(registers)
                + Arrays.deepToString(buffers);
    }

    private static int[][] deep(int[][] of) {
        int[][] copy = new int[of.length][];
        for (int i = 0; i < of.length; i++) {
            copy[i] = of[i].clone();
        }
        return copy;
    }
}
