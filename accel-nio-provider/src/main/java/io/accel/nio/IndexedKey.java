package io.accel.nio;

import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A selection key that knows its place in its selector's {@link SelectedKeys}, so that the set needs no hash table.
 *
 * <p>A key belongs to one selector and hence to at most one such set. The field is the set's alone, and guarded like
 * it.
 */
abstract class IndexedKey extends AbstractSelectionKey {

    /** The slot in the selected-key set's array; meaningful only if that slot holds this very key. */
    int selectedIndex;

    /** Two hash tables hold each key, and the JVM takes longer to make up a number than either to hold it. */
    private final int hash = ThreadLocalRandom.current().nextInt();

    /** Each equals itself alone. */
    @Override
    public final int hashCode() {
        return hash;
    }
}
