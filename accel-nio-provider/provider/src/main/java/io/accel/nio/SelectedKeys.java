// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The set that {@link java.nio.channels.Selector#selectedKeys} returns: the program removes, only the selector adds.
 *
 * <p>The set is an array in which each key knows its slot, so that {@code contains}, {@code remove} and adding take constant time and
 * make no garbage. Keys come out in the order in which they became ready, as long as they are removed in that order;
 * removing any other key moves the last one into its place. Iterators are small enough for the compiler to eliminate, and fail fast
 * like those of {@link java.util.HashSet}.
 *
 * <p>Like the JDK's set, it is not safe for use by many threads: the selector locks the set while it selects, and a program
 * that shares it does the same.
 */
final class SelectedKeys extends AbstractSet<SelectionKey> {

    private static final int INITIAL_CAPACITY = 16;

    /** The keys in {@code [head, tail)}, null elsewhere. An empty set has both indexes at 0. */
    private IndexedKey[] slots = new IndexedKey[INITIAL_CAPACITY];

    private int head;
    private int tail;
    private int modCount;

    /**
     * An iterator that is handed out again once it has come to its end. An event loop is too large for the compiler to see that its
     * iterator does not escape, and would make garbage at every turn.
     */
    private final KeyIterator spare = new KeyIterator();

    /** Whether the spare iterator is in use. */
    private boolean lent;

    /**
     * Adds a key of this set's selector.
     *
     * @return false if the key was there already
     */
    boolean addKey(IndexedKey key) {
        if (holds(key)) {
            return false;
        }
        if (tail == slots.length) {
            makeRoom();
        }
        slots[tail] = key;
        key.selectedIndex = tail++;
        modCount++;
        return true;
    }

    /** Makes room. The keys are shifted only when half of the array is free, so that adding stays constant on average. */
    private void makeRoom() {
        int size = size();
        IndexedKey[] target = head >= slots.length / 2 ? slots : new IndexedKey[slots.length * 2];
        System.arraycopy(slots, head, target, 0, size);
        if (target == slots) {
            Arrays.fill(slots, size, tail, null);
        }
        for (int i = 0; i < size; i++) {
            target[i].selectedIndex = i;
        }
        slots = target;
        head = 0;
        tail = size;
    }

    private boolean holds(IndexedKey key) {
        int i = key.selectedIndex;
        return i < slots.length && slots[i] == key;
    }

    private void removeAt(int i) {
        modCount++;
        if (i == head) {
            slots[head++] = null;
        } else {
            IndexedKey last = slots[--tail];
            slots[i] = last;
            last.selectedIndex = i;
            slots[tail] = null;
        }
        if (head == tail) {
            head = 0;
            tail = 0;
        }
    }

    @Override
    public int size() {
        return tail - head;
    }

    @Override
    public boolean contains(Object o) {
        return o instanceof IndexedKey key && holds(key);
    }

    @Override
    public boolean remove(Object o) {
        if (o instanceof IndexedKey key && holds(key)) {
            removeAt(key.selectedIndex);
            return true;
        }
        return false;
    }

    @Override
    public void clear() {
        Arrays.fill(slots, head, tail, null);
        head = 0;
        tail = 0;
        modCount++;
    }

    // add() is AbstractSet's, which refuses whatever it is given. One of our own would cast to SelectionKey first.

    /** Never succeeds: only the selector adds keys. */
    @Override
    public boolean addAll(Collection<? extends SelectionKey> keys) {
        throw new UnsupportedOperationException("Only the selector adds to its selected keys");
    }

    @Override
    public void forEach(Consumer<? super SelectionKey> action) {
        Objects.requireNonNull(action, "action");
        int expected = modCount;
        for (int i = head; i < tail; i++) {
            action.accept(slots[i]);
            if (modCount != expected) {
                throw new ConcurrentModificationException();
            }
        }
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        if (lent) {
            return new KeyIterator();
        }
        lent = true;
        spare.restart();
        return spare;
    }

    private final class KeyIterator implements Iterator<SelectionKey> {

        private static final int NONE = -1;

        private int next = head;
        private int last = NONE;
        private int expected = modCount;

        void restart() {
            next = head;
            last = NONE;
            expected = modCount;
        }

        @Override
        public boolean hasNext() {
            if (next < tail) {
                return true;
            }
            if (this == spare) {
                lent = false;
            }
            return false;
        }

        @Override
        public SelectionKey next() {
            if (modCount != expected) {
                throw new ConcurrentModificationException();
            }
            if (next >= tail) {
                throw new NoSuchElementException();
            }
            last = next++;
            return slots[last];
        }

        @Override
        public void remove() {
            if (last == NONE) {
                throw new IllegalStateException("next() was not called, or its key is removed already");
            }
            if (modCount != expected) {
                throw new ConcurrentModificationException();
            }
            boolean first = last == head;
            removeAt(last);
            if (!first) {
                // The last key took the removed one's slot and is yet to be visited.
                next = last;
            } else if (head == 0) {
                // The set became empty and starts over.
                next = 0;
            }
            last = NONE;
            expected = modCount;
        }
    }
}
