// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.Fabric.Acceptor;
import io.accel.core.fabric.Fabric.Listening;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventChannel;
import io.accel.core.fabric.rdma.verbs.CmEventType;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Listens beside the kernel's listeners of this process on one address and port number, of which a device has only
 * one. A client's request reaches this listener, and finds the connection whichever of the kernel's listeners has
 * accepted it.
 */
final class RdmaListener implements CmHandler {
    private static final Log LOG = Log.of(RdmaListener.class);
    private static final int BACKLOG = 1024;
    private static final int EADDRINUSE = 98;
    private static final long PATIENCE_NANOS = 1_000_000_000L;
    private static final long PAUSE_NANOS = 1_000_000L;

    private final CmService service;
    private final RdmaConfig config;
    private final InetSocketAddress address;
    private final Runnable whenClosed;

    /**
     * The acceptor that clients' requests go to, also a request that comes while the last acceptor leaves. Written
     * under this.
     */
    private volatile Acceptor asked;

    // Guarded by this.
    private final List<Acceptor> acceptors = new ArrayList<>(1);
    private CmId id;
    private boolean closed;

    /** Why the listener is not open yet; null if it has been open. Written under this. */
    private volatile FallbackException waitsFor;

    /**
     * Makes a listener that does not open before the first {@link #join}.
     *
     * @param whenClosed called when the last acceptor has left, or the first has failed: no more can join
     */
    RdmaListener(CmService service, RdmaConfig config, InetSocketAddress address, Runnable whenClosed) {
        this.service = service;
        this.config = config;
        this.address = address;
        this.whenClosed = whenClosed;
    }

    /**
     * Listens for one more acceptor. Where another process has the device's port number, this waits for that process
     * to close, as the new one of two does when a server is replaced while it serves.
     *
     * @return a handle that the acceptor closes; null if the last acceptor has left just now
     * @throws IOException if there is no device to listen on
     */
    synchronized Listening join(Acceptor acceptor) throws IOException {
        if (closed) {
            return null;
        }
        acceptors.add(acceptor);
        if (acceptors.size() == 1) {
            asked = acceptor;
            try {
                openOnceFree();
            } catch (IOException | RuntimeException | Error e) {
                if (!isTaken(e)) {
                    end();
                    throw e;
                }
                waitsFor = Failures.toFallback((VerbsException) e);
                service.run(() -> service.addHomeless(this));
            }
        }
        return new Place(acceptor);
    }

    private static boolean isTaken(Throwable e) {
        return e instanceof VerbsException failed && failed.errno() == EADDRINUSE;
    }

    /** The share of one of the kernel's listeners in this listener. */
    private final class Place implements Listening {
        private final Acceptor acceptor;

        Place(Acceptor acceptor) {
            this.acceptor = acceptor;
        }

        @Override
        public FallbackException waitsFor() {
            return waitsFor;
        }

        @Override
        public void close() {
            leave(acceptor);
        }
    }

    private synchronized void leave(Acceptor acceptor) {
        if (!acceptors.remove(acceptor)) {
            return; // it has left before
        }
        if (acceptors.isEmpty()) {
            end();
        } else {
            asked = acceptors.get(0);
        }
    }

    private void end() {
        closed = true;
        service.removeHomeless(this);
        closeId();
        whenClosed.run();
    }

    /**
     * Listens as soon as the port number is free. A connection of this process that was just closed keeps its port
     * number until it has ended, whereas the kernel has given it to this listener already.
     */
    private void openOnceFree() throws IOException {
        long start = System.nanoTime();
        while (true) {
            try {
                open();
                return;
            } catch (VerbsException e) {
                boolean isSoonFree = isTaken(e) && service.hasLinkOn(address.getPort());
                if (!isSoonFree || System.nanoTime() - start > PATIENCE_NANOS) {
                    throw e;
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private synchronized void open() throws IOException {
        CmId opened = newId(service.events(), config);
        try {
            opened.bind(address);
            if (opened.context() != null) {
                checkDevice(service, opened, config);
            }
            service.handle(opened, this);
            opened.listen(BACKLOG);
        } catch (IOException e) {
            service.unhandle(opened);
            Endpoint.close(opened, "listener");
            throw e;
        }
        id = opened;
    }

    /** Makes an identifier in the port space of the kind of connection. */
    static CmId newId(CmEventChannel events, RdmaConfig config) throws VerbsException {
        return config.space() == PortSpace.TCP ? events.createId() : events.createSeparateId();
    }

    /** Checks that the profile permits the device that the identifier is bound to, which is open from now on. */
    static void checkDevice(CmService service, CmId id, RdmaConfig config)
            throws FallbackException, VerbsException, VerbsUnavailableException {
        Context context = id.context();
        service.opened(context);
        String name = context.device().name();
        if (!config.devices().isEmpty() && !config.devices().contains(name)) {
            throw new FallbackException(
                    FallbackReason.NO_DEVICE,
                    id.localAddress().getAddress().getHostAddress() + " is on the device " + name + ", and rdma.device="
                            + String.join(",", config.devices()));
        }
    }

    @Override
    public void on(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            ServerHandshake.begin(service, config, asked, event);
        } else if (event.type() == CmEventType.DEVICE_REMOVAL) {
            LOG.get()
                    .log(
                            Level.INFO,
                            "the RDMA device of the listener on {0} is being removed; it waits for another",
                            address);
            closeId();
            service.addHomeless(this);
        } else {
            LOG.get().log(Level.DEBUG, "listener on {0}: {1}", address, event);
        }
    }

    /** Tries to listen again after its device was taken away, or another process had its port number. */
    synchronized void reopen() {
        if (closed || id != null) {
            service.removeHomeless(this);
            return;
        }
        try {
            open();
            service.removeHomeless(this);
            String since = waitsFor == null ? "again" : "now: no other process has the device's port any more";
            waitsFor = null;
            LOG.get().log(Level.INFO, "listening for RDMA on {0} {1}", address, since);
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "still not listening for RDMA on {0}: {1}", address, e.getMessage());
        }
    }

    private synchronized void closeId() {
        if (id != null) {
            service.unhandle(id);
            Endpoint.close(id, "listener");
            id = null;
        }
    }
}
