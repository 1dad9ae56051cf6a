// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The number of users of a link. The last user to let go frees the link, so that nobody touches freed memory.
 *
 * <p>Any thread. Everything that a user did before it let go happens before the last user lets go.
 */
final class UseCount {
    private final AtomicInteger users;

    /**
     * A count.
     *
     * @param first the number of users from the beginning
     */
    UseCount(int first) {
        this.users = new AtomicInteger(first);
    }

    /** Adds a user that knows of no other. Returns false if the last user has let go. */
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

    /** Adds so many users; called by one of the users. */
    void add(int more) {
        users.addAndGet(more);
    }

    @Override
    public String toString() {
        return users.get() + " users";
    }

    /** Takes a user away. Returns whether it was the last, which frees the link. */
    boolean leave() {
        return users.decrementAndGet() == 0;
    }
}
