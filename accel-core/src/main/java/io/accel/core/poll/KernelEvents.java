package io.accel.core.poll;

import java.nio.channels.SelectionKey;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The keys that the JDK's selector has found, in order, until its poller takes them up.
 *
 * <p>A compiler makes one method of the JDK's select and all that is done for a key in it; and again where else it is called. So nothing
 * is done there but to note the key. The owner of the poller's turn only.
 */
final class KernelEvents implements Consumer<SelectionKey> {
    private static final int FEW = 16;

    private SelectionKey[] keys = new SelectionKey[FEW];
    /** The next to be taken. */
    private int from;
    /** Behind the last that was found. */
    private int to;

    @Override
    public void accept(SelectionKey key) {
        if (to == keys.length) {
            keys = Arrays.copyOf(keys, 2 * to);
        }
        keys[to++] = key;
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
