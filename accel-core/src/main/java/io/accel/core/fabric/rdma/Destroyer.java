// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Destroys identifiers of the connection manager beside the thread that serves all connections. {@code rdma_destroy_id} waits until the
 * connection manager has no message of the connection under way any more. Where the peer's host stands still, or the processors are busy,
 * that takes a minute and more, in which that thread would answer no client. Any thread.
 */
final class Destroyer {
    private static final Log LOG = Log.of(Destroyer.class);
    /** Further identifiers wait for one of these. */
    private static final int MOST_THREADS = 8;

    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            MOST_THREADS,
            MOST_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            body -> Daemons.unstarted("accel-rdma-destroy", body));

    private final Set<Ending> endings = ConcurrentHashMap.newKeySet();

    /** One identifier, compared by identity. */
    private static final class Ending {
        private final int port;

        Ending(int port) {
            this.port = port;
        }
    }

    Destroyer() {
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Destroys an identifier. Its queue pair has ended, and its events go to nobody, when this returns; the rest may take its time.
     *
     * @param afterwards run once the identifier is no more, by another thread
     */
    void destroy(CmId id, Runnable afterwards) {
        InetSocketAddress local = id.localAddress();
        destroy(local == null ? 0 : local.getPort(), end(id), afterwards);
    }

    private static AutoCloseable end(CmId id) {
        try {
            return id.end();
        } catch (VerbsException e) {
            return () -> {
                throw e;
            };
        } catch (RuntimeException | Error e) {
            // The identifier may be whole: the thread tries again.
            return () -> id.end().close();
        }
    }

    void destroy(int port, AutoCloseable rest, Runnable afterwards) {
        Ending ending = null;
        boolean isTaken = false;
        try {
            Ending begun = new Ending(port);
            ending = begun;
            endings.add(begun);
            threads.execute(() -> end(rest, begun, afterwards));
            isTaken = true;
        } catch (OutOfMemoryError | SecurityException e) {
            LOG.get().log(System.Logger.Level.DEBUG, "no thread for the end of an RDMA connection, this one waits", e);
        } finally {
            if (!isTaken) { // whatever the reason: nobody ends it a second time
                end(rest, ending, afterwards);
            }
        }
    }

    private void end(AutoCloseable rest, Ending ending, Runnable afterwards) {
        try {
            Endpoint.close(rest, "identifier");
        } finally {
            if (ending != null) {
                endings.remove(ending);
            }
            afterwards.run();
        }
    }

    /** Whether an identifier that has not ended yet has this port number. */
    boolean has(int port) {
        for (Ending ending : endings) {
            if (ending.port == port) {
                return true;
            }
        }
        return false;
    }
}
