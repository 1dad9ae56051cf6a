package io.accel.core.fabric.rdma;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * What one thread does for several peers in turn. A failure at one of them concerns that peer alone: those behind it still have
 * their turn.
 */
final class Turn {
    private Turn() {}

    /**
     * Has each its turn.
     *
     * @param all the peers; what is done may remove some
     * @param work what is done for each
     * @param failed told of what that threw, and for which one; what it throws itself goes to {@code lost}
     * @param lost told of that
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
