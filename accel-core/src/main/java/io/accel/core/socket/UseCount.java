package io.accel.core.socket;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many use a link, so that the last one to let go of it frees it, and nobody touches what is freed.
 *
 * <p>Any thread. All that a user did before it let go happens before the last one does.
 */
final class UseCount {
    private final AtomicInteger users;

    /**
     * A count.
     *
     * @param first how many use the link from the beginning
     */
    UseCount(int first) {
        this.users = new AtomicInteger(first);
    }

    /** One more, who knows of no other. Returns false if the last one has let go. */
    boolean join() {
        int n;
        do {
            n = users.get();
            if (n == 0) {
                return false;
            }
        } while (!users.compareAndSet(n, n + 1));
        return true;
    }

    /** So many more, said by one of the users. */
    void add(int more) {
        users.addAndGet(more);
    }

    /** One lets go. Returns whether that was the last, who frees the link. */
    boolean leave() {
        return users.decrementAndGet() == 0;
    }
}
