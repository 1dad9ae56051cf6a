// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.nio.channels.SelectionKey;
import java.util.Collections;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The keys registered with a selector, and the view of them that {@link java.nio.channels.Selector#keys} returns. Safe
 * for use by many threads: iterating never fails, and may or may not show keys that come and go meanwhile.
 */
final class KeySet implements Iterable<IndexedKey> {

    private final Set<IndexedKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> view = Collections.unmodifiableSet(keys);

    /** Returns the live view, always the same object, which the program cannot change. */
    Set<SelectionKey> view() {
        return view;
    }

    boolean add(IndexedKey key) {
        return keys.add(key);
    }

    boolean remove(IndexedKey key) {
        return keys.remove(key);
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Returns an iterator that may remove keys. */
    @Override
    public Iterator<IndexedKey> iterator() {
        return keys.iterator();
    }
}
