package io.accel.core.socket;

import io.accel.core.poll.PollConfig;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pollers in which platform threads sleep, each kept for the next sleep. One that lies idle is closed by the collector, so a
 * program does not keep the descriptors of all the threads that once slept at the same time. Safe for use by several
 * threads.
 */
final class PollerPool {
    private static final Logger LOG = System.getLogger(PollerPool.class.getName());
    private static final int MOST_IDLE = 256;
    private static final Cleaner CLOSER = Cleaner.create();

    private final PollConfig config;
    private final Deque<WeakReference<Pooled>> idle = new ConcurrentLinkedDeque<>();
    /** How many references are in the deque, or about to be. */
    private final AtomicInteger idleCount = new AtomicInteger();

    PollerPool(PollConfig config) {
        this.config = config;
    }

    /** A poller that one thread has at a time, and holds as long as it uses the poller. */
    static final class Pooled {
        private final Poller poller;
        private final WeakReference<Pooled> reference = new WeakReference<>(this);
        private final Cleaner.Cleanable closing;

        private Pooled(Poller poller) {
            this.poller = poller;
            this.closing = CLOSER.register(this, () -> close(poller));
        }

        Poller poller() {
            return poller;
        }

        private static void close(Poller poller) {
            try {
                poller.close();
            } catch (IOException e) {
                LOG.log(Level.WARNING, "closing a poller that nobody uses failed", e);
            }
        }
    }

    /** The one that was used last, or a new one. */
    Pooled take() throws IOException {
        for (WeakReference<Pooled> first = idle.pollFirst(); first != null; first = idle.pollFirst()) {
            idleCount.decrementAndGet();
            Pooled pooled = first.get();
            if (pooled != null) {
                return pooled;
            }
        }
        return new Pooled(new Poller(config));
    }

    /** Keeps it for the next, without registrations. */
    void giveBack(Pooled pooled) {
        if (idleCount.incrementAndGet() <= MOST_IDLE) {
            idle.addFirst(pooled.reference);
        } else {
            idleCount.decrementAndGet();
            pooled.closing.clean();
        }
    }
}
