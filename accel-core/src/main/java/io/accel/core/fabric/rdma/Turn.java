// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Does work for several peers in turn. A failure at one of them concerns that peer alone: those behind it still have
 * their turn.
 */
final class Turn {
    private Turn() {}

    /**
     * Gives each peer its turn.
     *
     * @param all the peers; the work may remove some
     * @param work the work for each
     * @param failed receives what the work threw, and the peer; what it throws itself goes to {@code lost}
     * @param lost receives what {@code failed} threw
     */
    static <T> void each(Iterable<T> all, Consumer<T> work, BiConsumer<T, Throwable> failed, Consumer<Throwable> lost) {
        for (T one : all) {
            try {
                work.accept(one);
            } catch (Throwable e) {
                try {
                    failed.accept(one, e);
                } catch (Throwable next) {
                    lost.accept(next);
                }
            }
        }
    }
}
