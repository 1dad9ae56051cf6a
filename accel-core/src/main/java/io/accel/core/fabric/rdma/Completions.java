// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.WorkCompletions;
import java.util.Arrays;

/**
 * Completions of one link in their order, copied from the device's batch, in which those of all links of a queue are mixed. It grows with
 * what was under way at a time, and is then used again and again. Not thread-safe.
 */
final class Completions {
    private static final int FIRST = 8;
    private static final int BYTE = 0xff;
    private static final int OPCODE = 8;
    private static final int FLAGS = 16;
    private static final int RECEIVE = 1 << 24;

    /** The low half of the work request identifier. */
    private int[] numbers = new int[FIRST];
    /** {@link #RECEIVE} if it was a receive, the flags, the opcode and the status, from high bits to low. */
    private int[] kinds = new int[FIRST];

    private int[] immediates = new int[FIRST];
    private int[] lengths = new int[FIRST];
    private int count;

    int count() {
        return count;
    }

    void clear() {
        count = 0;
    }

    /** Adds a copy of a completion. */
    void add(WorkCompletions from, int i) {
        if (count == numbers.length) {
            int more = 2 * count;
            numbers = Arrays.copyOf(numbers, more);
            kinds = Arrays.copyOf(kinds, more);
            immediates = Arrays.copyOf(immediates, more);
            lengths = Arrays.copyOf(lengths, more);
        }
        long id = from.workRequestId(i);
        int kind = from.status(i) & BYTE;
        kind |= (from.opcode(i) & BYTE) << OPCODE;
        kind |= (from.flags(i) & BYTE) << FLAGS;
        numbers[count] = (int) id;
        kinds[count] = RequestId.isReceive(id) ? kind | RECEIVE : kind;
        immediates[count] = from.immediate(i);
        lengths[count] = from.byteLength(i);
        count++;
    }

    /** Whether the request was a receive. */
    boolean isReceive(int i) {
        return (kinds[i] & RECEIVE) != 0;
    }

    /** The low half of a send's number. */
    int number(int i) {
        return numbers[i];
    }

    /** As {@link WorkCompletions#status}. */
    int status(int i) {
        return kinds[i] & BYTE;
    }

    /** As {@link WorkCompletions#opcode}. */
    int opcode(int i) {
        return (kinds[i] >> OPCODE) & BYTE;
    }

    /** As {@link WorkCompletions#flags}. */
    int flags(int i) {
        return (kinds[i] >> FLAGS) & BYTE;
    }

    /** As {@link WorkCompletions#immediate}. */
    int immediate(int i) {
        return immediates[i];
    }

    /** As {@link WorkCompletions#byteLength}. */
    int byteLength(int i) {
        return lengths[i];
    }
}
