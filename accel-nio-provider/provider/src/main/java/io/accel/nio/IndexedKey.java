// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A selection key that knows its place in its selector's {@link SelectedKeys}, so that the set needs no hash table.
 *
 * <p>A key belongs to one selector and hence to at most one such set. Only the set uses the field, which is guarded like the set.
 */
abstract class IndexedKey extends AbstractSelectionKey {

    /** The slot in the selected-key set's array; meaningful only if that slot holds this very key. */
    int selectedIndex;

    /** The hash code. Two hash tables hold each key, and the JVM's identity hash takes longer to make than an entry in either. */
    private final int hash = ThreadLocalRandom.current().nextInt();

    /** Returns a random hash, as a key equals only itself. */
    @Override
    public final int hashCode() {
        return hash;
    }
}
