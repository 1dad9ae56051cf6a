// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Fabric.Acceptor;
import io.accel.core.fabric.Fabric.Listening;
import io.accel.core.fabric.FallbackException;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.jdk.OpenFiles;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Answers the clients of all listeners of this process, on one daemon thread that sleeps in the kernel unless a client
 * calls. As the kernel completes TCP's handshake without the program, so does this service: a listener whose program
 * is busy still connects, up to its backlog.
 */
final class RendezvousService {
    private static final Log LOG = Log.of(RendezvousService.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    private static final String MET_AN_ERROR = "the rendezvous thread met an error and goes on";
    private static final long ACCEPT_PAUSE_MILLIS = 100;
    /** When so few descriptors are left clients wait. */
    private static final int FEW_FILES = 8;

    private static RendezvousService instance;

    private final Selector selector;
    private final Set<RendezvousListener> listeners = ConcurrentHashMap.newKeySet();
    /** Tasks from other threads for this thread, which alone touches keys and handshakes. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    private final ReadyKeys readyKeys = this::ready;
    /** Whether a client's time runs, and when the first client's time is up. Only this thread uses them. */
    private boolean checking;

    private long checkAt;
    private boolean acceptPaused;
    /** Whether a pause was reported. */
    private boolean saidPause;
    /** When a paused accept is tried again, on the scale of {@link System#nanoTime()}. */
    private long resumeAt;

    private interface ReadyKeys extends java.util.function.Consumer<SelectionKey> {}

    private RendezvousService(Selector selector) {
        this.selector = selector;
    }

    /** The service of this process, started when it is first needed. */
    static synchronized RendezvousService get() throws FallbackException {
        if (instance == null) {
            try {
                RendezvousService service =
                        new RendezvousService(JdkAccess.kernelProvider().openSelector());
                Daemons.atExit("accel-rendezvous-cleanup", service::closeAll);
                // The thread starts last: from now on it uses all fields.
                Daemons.start("accel-rendezvous", service::run, service.selector::wakeup);
                instance = service;
            } catch (IOException | IllegalStateException | OutOfMemoryError e) {
                throw new FallbackException(
                        FallbackReason.NO_RESOURCES, "starting the rendezvous thread failed: " + e.getMessage());
            }
        }
        return instance;
    }

    Listening open(ShmConfig config, Namespace namespace, InetSocketAddress bound, Acceptor acceptor)
            throws FallbackException {
        RendezvousListener listener = new RendezvousListener(this, config, namespace, bound, acceptor);
        DeadRendezvous.sweepOnce(listener.directory().getParent());
        DeadRendezvous.sweepBeside(
                listener.directory(),
                RendezvousPath.prefix(namespace, config.space(), bound.getAddress(), bound.getPort()));
        listeners.add(listener);
        submit(() -> register(listener));
        return listener;
    }

    /** The listener has closed its socket: ends its handshakes and cancels its key. */
    void closed(RendezvousListener listener) {
        listeners.remove(listener);
        submit(() -> {
            for (SelectionKey key : selector.keys()) {
                if (key.attachment() instanceof ServerHandshake handshake
                        && handshake.listener() == listener
                        && !handshake.isOffered()) {
                    key.cancel();
                    handshake.abandon();
                }
            }
        });
    }

    /** A client that waits may now be answered. Any thread. */
    void retry(ServerHandshake handshake) {
        submit(() -> {
            if (handshake.retry()) {
                checkLater(handshake);
                return;
            }
            for (SelectionKey key : selector.keys()) {
                if (key.attachment() == handshake) {
                    key.cancel();
                }
            }
        });
    }

    private void submit(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    private void closeAll() {
        for (RendezvousListener listener : listeners) {
            listener.close();
        }
    }

    private void run() {
        Daemons.turns(
                ERRORS,
                MET_AN_ERROR,
                () -> Daemons.select(selector, readyKeys, pauseMillis()),
                () -> Daemons.runTasks(tasks, ERRORS, MET_AN_ERROR),
                this::expireHandshakes,
                this::resumeAccept);
    }

    private void register(RendezvousListener listener) {
        try {
            listener.socket().register(selector, SelectionKey.OP_ACCEPT, listener);
        } catch (ClosedChannelException e) {
            listener.log("closed before it opened: {0}", listener.directory());
        }
    }

    /** Serves one key. It throws nothing, so that no key stays ready because of another. */
    private void ready(SelectionKey key) {
        try {
            if (key.attachment() instanceof RendezvousListener listener) {
                accept(key, listener);
            } else if (key.attachment() instanceof ServerHandshake handshake) {
                advanced(key, handshake, handshake.advance());
            }
        } catch (CancelledKeyException e) {
            LOG.get().log(Level.DEBUG, "a rendezvous closed while a client called", e);
        } catch (Throwable e) {
            broken(key, e);
        }
    }

    /** Takes note of how far a handshake has come: its socket is watched as long as it hears. */
    private void advanced(SelectionKey key, ServerHandshake handshake, boolean goesOn) {
        if (!goesOn) {
            key.cancel();
            return;
        }
        key.interestOps(handshake.isDeaf() ? 0 : SelectionKey.OP_READ);
        if (handshake.isTimed()) {
            checkLater(handshake);
        }
    }

    /** An error that no handshake should throw ends that handshake, or pauses the listener. */
    private void broken(SelectionKey key, Throwable why) {
        if (key.attachment() instanceof RendezvousListener listener) {
            pause(key, listener, why.toString());
        } else {
            key.cancel();
            ERRORS.warn("a client's handshake met an error and was ended", why);
        }
    }

    private void accept(SelectionKey key, RendezvousListener listener) {
        try {
            // The last descriptors are the program's: its connections come before their links.
            SocketChannel client = null;
            while (OpenFiles.hasMoreThan(FEW_FILES)
                    && (client = listener.socket().accept()) != null) {
                greet(listener, client);
            }
            if (client == null && !OpenFiles.hasMoreThan(FEW_FILES)) {
                pause(key, listener, "few file descriptors are left (ulimit -n)");
            }
        } catch (ClosedChannelException e) {
            listener.log("{0} was closed while a client called", listener.directory());
        } catch (IOException e) {
            // The process is most likely out of descriptors: calling accept at once again would only burn the
            // processor.
            pause(key, listener, e.toString());
        }
    }

    private void greet(RendezvousListener listener, SocketChannel client) throws IOException {
        boolean greeted = false;
        try {
            client.configureBlocking(false);
            ServerHandshake handshake = new ServerHandshake(
                    listener, client, listener.acceptor(), listener.config().handshakeTimeoutNanos());
            SelectionKey clientKey = client.register(selector, SelectionKey.OP_READ, handshake);
            greeted = true; // the handshake owns the socket, whatever happens
            checkLater(handshake);
            // The hello is usually there already.
            advanced(clientKey, handshake, handshake.advance());
        } finally {
            if (!greeted) {
                client.close();
            }
        }
    }

    private void pause(SelectionKey key, RendezvousListener listener, String why) {
        key.interestOps(0);
        acceptPaused = true;
        resumeAt = System.nanoTime() + ACCEPT_PAUSE_MILLIS * 1_000_000;
        // It lasts as long as the process lacks descriptors, and no stack trace tells more of it.
        LOG.get()
                .log(
                        saidPause ? Level.DEBUG : Level.WARNING,
                        "taking a client in {0} failed, and is tried again each {1} ms, without a further word: {2}",
                        listener.directory(),
                        ACCEPT_PAUSE_MILLIS,
                        why);
        saidPause = true;
    }

    private void resumeAccept() {
        if (acceptPaused && System.nanoTime() - resumeAt >= 0) {
            for (SelectionKey key : selector.keys()) {
                if (key.isValid() && key.attachment() instanceof RendezvousListener) {
                    resumeAccept(key);
                }
            }
            acceptPaused = false; // last: after an error the next turn goes on
        }
    }

    private static void resumeAccept(SelectionKey key) {
        try {
            key.interestOps(SelectionKey.OP_ACCEPT);
        } catch (CancelledKeyException e) {
            LOG.get().log(Level.DEBUG, "a rendezvous closed while it was to accept again", e);
        }
    }

    /** The client's time has begun to run. */
    private void checkLater(ServerHandshake handshake) {
        if (!checking || handshake.deadline() - checkAt < 0) {
            checking = true;
            checkAt = handshake.deadline();
        }
    }

    /** Ends the handshakes whose clients have been silent for too long; looks at none before the first can be late. */
    private void expireHandshakes() {
        long now = System.nanoTime();
        if (!checking || now - checkAt < 0) {
            return;
        }
        checking = false;
        boolean looked = false;
        try {
            for (SelectionKey key : selector.keys()) {
                if (key.isValid() && key.attachment() instanceof ServerHandshake handshake && handshake.isTimed()) {
                    if (now - handshake.deadline() >= 0) {
                        expire(key, handshake);
                    } else {
                        checkLater(handshake);
                    }
                }
            }
            looked = true;
        } finally {
            if (!looked) { // after an error the next turn looks at those behind
                checking = true;
                checkAt = now;
            }
        }
    }

    private void expire(SelectionKey key, ServerHandshake handshake) {
        try {
            advanced(key, handshake, handshake.expire());
        } catch (CancelledKeyException e) {
            LOG.get().log(Level.DEBUG, "a rendezvous closed while a client was heard again", e);
        } catch (RuntimeException | Error e) {
            key.cancel();
            ERRORS.warn("ending the handshake of a client that was silent met an error", e);
        }
    }

    /** How long to sleep: until a client calls, unless something is due before. */
    private long pauseMillis() {
        long now = System.nanoTime();
        long nanos = !tasks.isEmpty() ? 1 : acceptPaused ? resumeAt - now : Long.MAX_VALUE;
        if (checking) {
            nanos = Math.min(nanos, checkAt - now);
        }
        return nanos == Long.MAX_VALUE ? 0 : Math.max(1, nanos / 1_000_000 + 1);
    }
}
