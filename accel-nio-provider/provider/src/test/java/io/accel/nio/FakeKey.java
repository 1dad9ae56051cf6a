// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;

/** A key with nothing behind it: the key sets look only at its identity. */
final class FakeKey extends IndexedKey {

    private final int id;

    FakeKey(int id) {
        this.id = id;
    }

    @Override
    public SelectableChannel channel() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Selector selector() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int interestOps() {
        return 0;
    }

    @Override
    public FakeKey interestOps(int ops) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int readyOps() {
        return 0;
    }

    @Override
    public String toString() {
        return "key " + id;
    }
}
