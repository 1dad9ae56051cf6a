// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.nio.channels.SelectionKey;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The keys that the JDK's selector has found, in order, until its poller takes them up.
 *
 * <p>A compiler makes one method of the JDK's select and all work for a key in it, and makes it again at each other
 * place that calls it. So that code only notes the key. The owner of the poller's turn only.
 */
final class KernelEvents implements Consumer<SelectionKey> {
    private static final int FEW = 16;

    private SelectionKey[] keys = new SelectionKey[FEW];
    /** The index of the next key to take. */
    private int from;
    /** The index behind the last key found. */
    private int to;

    /** The pipe that has woken the selector since it was last taken; null if none has. */
    private WakePipe rung;

    @Override
    public void accept(SelectionKey key) {
        // Asked in this order, so that a process without such a pipe does not load its class.
        if (!(key.attachment() instanceof Registration) && key.attachment() instanceof WakePipe pipe) {
            rung = pipe;
            return;
        }
        if (to == keys.length) {
            keys = Arrays.copyOf(keys, 2 * to);
        }
        keys[to++] = key;
    }

    /** The pipe that has woken the selector, which has to be drained; null if none has. */
    WakePipe takeRung() {
        WakePipe taken = rung;
        rung = null;
        return taken;
    }

    boolean hasAny() {
        return from < to;
    }

    /** The next key; null if there is none. */
    SelectionKey next() {
        if (from == to) {
            from = 0;
            to = 0;
            return null;
        }
        SelectionKey key = keys[from];
        keys[from++] = null;
        return key;
    }
}
