package io.accel.core.fabric.shm;

import io.accel.core.fabric.Fabric.Acceptor;
import io.accel.core.fabric.Fabric.Listening;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger;
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
 * calls. As the kernel completes TCP's handshake without the program, so does this: a listener whose program is busy
 * still connects, up to its backlog.
 */
final class RendezvousService {
    private static final Logger LOG = System.getLogger(RendezvousService.class.getName());
    private static final long ACCEPT_PAUSE_MILLIS = 100;

    private static RendezvousService instance;

    private final Selector selector;
    private final Set<RendezvousListener> listeners = ConcurrentHashMap.newKeySet();
    /** What other threads want done by this one, which alone touches keys and handshakes. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    private final ReadyKeys readyKeys = this::ready;
    private boolean acceptPaused;
    /** When a paused accept is tried again, on {@link System#nanoTime()}'s scale. */
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
                Thread thread = new Thread(service::run, "accel-rendezvous");
                thread.setDaemon(true);
                thread.start();
                Runtime.getRuntime().addShutdownHook(new Thread(service::closeAll, "accel-rendezvous-cleanup"));
                instance = service;
            } catch (IOException | IllegalStateException | OutOfMemoryError e) {
                throw new FallbackException(
                        FallbackReason.NO_RESOURCES, "starting the rendezvous thread failed: " + e.getMessage());
            }
        }
        return instance;
    }

    Listening open(ShmConfig config, InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
        RendezvousListener listener = new RendezvousListener(this, config, bound, acceptor);
        DeadRendezvous.sweepOnce(config.dir());
        listeners.add(listener);
        submit(() -> register(listener));
        return listener;
    }

    /** The listener has closed its socket; its handshakes end, its key goes. */
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

    /** A client that waits may be answered. Any thread. */
    void retry(ServerHandshake handshake) {
        submit(() -> {
            if (!handshake.retry()) {
                for (SelectionKey key : selector.keys()) {
                    if (key.attachment() == handshake) {
                        key.cancel();
                    }
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
        while (true) {
            try {
                selector.select(readyKeys, pauseMillis());
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
                expireHandshakes();
                resumeAccept();
            } catch (Throwable e) {
                // Nothing that one client does may end the thread that serves all.
                warn("the rendezvous thread met an error and goes on", e);
            }
        }
    }

    /** A logger may need what has just run out, such as descriptors, and then throws errors of its own. */
    private static void warn(String message, Throwable cause) {
        try {
            LOG.log(Level.WARNING, message, cause);
        } catch (Throwable e) {
            cause.addSuppressed(e);
            System.err.println("accel: " + message + ": " + cause + ", and logging it failed: " + e);
        }
    }

    private void register(RendezvousListener listener) {
        try {
            listener.socket().register(selector, SelectionKey.OP_ACCEPT, listener);
        } catch (ClosedChannelException e) {
            listener.log("closed before it opened: {0}", listener.directory());
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (key.attachment() instanceof RendezvousListener listener) {
                accept(key, listener);
            } else if (key.attachment() instanceof ServerHandshake handshake && !handshake.advance()) {
                key.cancel();
            }
        } catch (CancelledKeyException e) {
            LOG.log(Level.DEBUG, "a rendezvous closed while a client called", e);
        }
    }

    private void accept(SelectionKey key, RendezvousListener listener) {
        try {
            SocketChannel client;
            while ((client = listener.socket().accept()) != null) {
                client.configureBlocking(false);
                ServerHandshake handshake = new ServerHandshake(
                        listener, client, listener.acceptor(), listener.config().handshakeTimeoutNanos());
                SelectionKey clientKey = client.register(selector, SelectionKey.OP_READ, handshake);
                // The hello is usually there already.
                if (!handshake.advance()) {
                    clientKey.cancel();
                }
            }
        } catch (ClosedChannelException e) {
            listener.log("{0} was closed while a client called", listener.directory());
        } catch (IOException e) {
            // Out of descriptors, most likely: calling accept at once again would only burn the processor.
            key.interestOps(0);
            acceptPaused = true;
            resumeAt = System.nanoTime() + ACCEPT_PAUSE_MILLIS * 1_000_000;
            warn(
                    "taking a client in " + listener.directory() + " failed, trying again in " + ACCEPT_PAUSE_MILLIS
                            + " ms: " + e.getMessage(),
                    e);
        }
    }

    private void resumeAccept() {
        if (acceptPaused && System.nanoTime() - resumeAt >= 0) {
            acceptPaused = false;
            for (SelectionKey key : selector.keys()) {
                if (key.isValid() && key.attachment() instanceof RendezvousListener) {
                    key.interestOps(SelectionKey.OP_ACCEPT);
                }
            }
        }
    }

    private void expireHandshakes() {
        if (selector.keys().size() == listeners.size()) {
            return;
        }
        long now = System.nanoTime();
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof ServerHandshake handshake && handshake.isLate(now)) {
                key.cancel();
                handshake.expire();
            }
        }
    }

    /** How long to sleep: until a client calls, unless something must be looked at before. */
    private long pauseMillis() {
        if (acceptPaused || selector.keys().size() != listeners.size()) {
            return ACCEPT_PAUSE_MILLIS;
        }
        return 0;
    }
}
