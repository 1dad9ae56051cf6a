// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.OwnershipSecrets;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventChannel;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.ConnectionParameters;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;

/**
 * The client's side of a handshake: address, route, offer, answer. It has an event channel of its own, so that the
 * program's selector wakes for it alone; an established connection moves to the service's channel. One thread at a
 * time.
 */
final class RdmaConnecting implements Connecting {
    private static final Log LOG = Log.of(RdmaConnecting.class);
    private static final Warnings STRANGERS = new Warnings(LOG);
    /** The status of a refusal for want of a listener, as the InfiniBand specification numbers it. */
    private static final int NOBODY_LISTENS = 8;

    private static final int NO_SUCH_DEVICE = 19;
    /** The status of a refusal by the listening program. */
    private static final int BY_PROGRAM = 28;

    private final CmService service;
    private final RdmaConfig config;
    private final int ringSize;
    private final Availability availability;
    private final Fabric.Source source;
    private final InetSocketAddress local;
    private final InetSocketAddress destination;
    private final long deadline;
    private final long nonce = OwnershipSecrets.random();
    private final long secret = OwnershipSecrets.random();
    /** The first bytes of the connection; null if they were not watched. */
    private final Beginnings seen;
    /** What the listener was told of them; null before that. */
    private Carried asked;

    private final CmEventChannel events;
    private final SelectableChannel channel;
    private final CmId id;

    private Endpoint endpoint;
    private boolean done;

    /**
     * Begins the handshake.
     *
     * @param ringSize bytes of either ring at most
     * @param local the program's end, which has an RDMA device
     * @param destination the program's destination
     * @param source the program's end
     * @param typeOfService 0 to 255, 0 for the system's default
     */
    RdmaConnecting(
            CmService service,
            RdmaConfig config,
            int ringSize,
            Availability availability,
            InetSocketAddress local,
            InetSocketAddress destination,
            Fabric.Source source,
            int typeOfService)
            throws IOException {
        this.availability = availability;
        this.service = service;
        this.config = config;
        this.ringSize = ringSize;
        this.source = source;
        this.seen = config.provesOwners() ? source.beginnings() : null;
        if (seen != null && seen.sent() + seen.received() == 0 && !source.isAtOnce()) {
            throw new FallbackException(
                    FallbackReason.NOT_YET,
                    "the connection has carried nothing by which its peer could be known",
                    true);
        }
        this.local = local;
        this.destination = destination;
        this.deadline = System.nanoTime() + config.probeTimeoutNanos();
        CmEventChannel opened = CmEventChannel.open();
        SelectableChannel watched = null;
        CmId created = null;
        try {
            watched = Endpoint.selectable(opened.duplicateFd());
            watched.configureBlocking(false);
            created = RdmaListener.newId(opened, config);
            if (typeOfService > 0) {
                // This also sets that of the answers: the listener's end takes it from the request.
                created.typeOfService(typeOfService);
            }
            bind(created, local, config.portOffset());
            if (created.context() != null) { // a loopback address finds its device only with the route
                RdmaListener.checkDevice(service, created, config);
            }
            InetSocketAddress there = new InetSocketAddress(
                    destination.getAddress().isAnyLocalAddress() ? local.getAddress() : destination.getAddress(),
                    destination.getPort() + config.portOffset());
            created.resolveAddress(null, there, millisLeft());
        } catch (IOException | RuntimeException | Error e) {
            Endpoint.close(created, "identifier");
            Endpoint.close(watched, "event channel's descriptor");
            Endpoint.close(opened, "event channel");
            throw e;
        }
        this.events = opened;
        this.channel = watched;
        this.id = created;
    }

    /**
     * Binds to the port number that the kernel gave to the program's end. The device's numbers are a space of their
     * own. A number of the device's choice would now and then be that of a future listener. The kernel would not know
     * of it, and the listener would have to do without RDMA.
     */
    private static void bind(CmId id, InetSocketAddress local, int portOffset) throws VerbsException {
        int port = local.getPort() + portOffset;
        if (port > 0 && port <= 65_535) {
            try {
                id.bind(new InetSocketAddress(local.getAddress(), port));
                return;
            } catch (VerbsException e) {
                LOG.get().log(Level.DEBUG, "another port number than the kernel's, for it is taken", e);
            }
        }
        id.bind(new InetSocketAddress(local.getAddress(), 0));
    }

    /** The offer that an endpoint makes the peer. */
    static Offer offer(Endpoint endpoint, int ringSize, long nonce, int port, long secret, Carried carried) {
        return new Offer(
                endpoint.inbound().address(),
                endpoint.inbound().rkey(),
                ringSize,
                endpoint.depth(),
                nonce,
                port,
                endpoint.words() != null,
                secret,
                carried);
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public boolean isPending() {
        return true; // the connection manager knows nothing between yes and no
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public Link advance() throws FallbackException {
        try {
            for (CmEvent event = events.nextEvent(); event != null; event = events.nextEvent()) {
                Link link = step(event);
                if (link != null) {
                    return link;
                }
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new FallbackException(
                        FallbackReason.TIMEOUT,
                        "no answer within " + config.probeTimeoutNanos() / 1_000_000
                                + " ms (connect.probe-timeout); the peer is stopped, overloaded, or lets no RDMA through");
            }
            return null;
        } catch (IOException | OutOfMemoryError e) {
            abort();
            throw Failures.toFallback(e);
        }
    }

    private Link step(CmEvent event) throws IOException {
        switch (event.type()) {
            case ADDR_RESOLVED -> {
                RdmaListener.checkDevice(service, id, config);
                id.acknowledgeTimeout(config.ackTimeoutCode());
                endpoint = Endpoint.open(id, config, ringSize, source.waiter());
                id.resolveRoute(millisLeft());
            }
            case ROUTE_RESOLVED -> {
                asked = Carried.asked(seen, Offer.secrets(nonce, secret));
                Offer offer = offer(endpoint, ringSize, nonce, local.getPort(), secret, asked);
                id.connect(new ConnectionParameters(offer.encode(), 1, config.retries(), config.rnrRetries()));
            }
            case ESTABLISHED -> {
                return established(Offer.decode(event.privateData()));
            }
            case REJECTED -> throw refused(event);
            case ADDR_ERROR, ROUTE_ERROR -> {
                FallbackException why = new FallbackException(
                        FallbackReason.NO_DEVICE, "no RDMA device leads to " + destination + " (" + event + ")");
                if (event.status() == -NO_SUCH_DEVICE) {
                    availability.without(local.getAddress(), why);
                }
                throw why;
            }
            case UNREACHABLE ->
                throw new FallbackException(FallbackReason.TIMEOUT, destination + " does not answer (" + event + ")");
            default -> throw new FallbackException(FallbackReason.NO_RESOURCES, "connecting by RDMA failed: " + event);
        }
        return null;
    }

    private Link established(Offer listener) throws FallbackException, VerbsException {
        if (listener.nonce() != nonce || listener.ringSize() > ringSize) {
            throw new FallbackException(FallbackReason.BAD_HANDSHAKE, "the listener's answer is not to this offer");
        }
        listener.checkNotification(endpoint.words() != null);
        RdmaLink link = new RdmaLink(service, endpoint, listener, listener.ringSize(), config, ownership(listener));
        service.handle(id, link);
        try {
            id.migrate(service.events());
        } catch (VerbsException e) {
            service.unhandle(id);
            throw e;
        }
        service.add(link);
        link.connected();
        done = true;
        Endpoint.close(channel, "event channel's descriptor");
        Endpoint.close(events, "event channel");
        return link;
    }

    /**
     * What proves the listener, if it has shown that it knows the connection.
     *
     * @return null if it need not be proved
     */
    private RdmaOwnership ownership(Offer listener) throws FallbackException {
        if (!config.provesOwners()) {
            return null;
        }
        byte[] key = Offer.secrets(nonce, secret, listener.secret());
        switch (asked.ofAnswer(listener.carried(), seen, key)) {
            case TOO_LITTLE ->
                throw new FallbackException(
                        FallbackReason.NOT_YET,
                        "the peer has not read enough of the connection's bytes to be known",
                        true);
            case OTHER -> {
                String what = "who answers over RDMA for " + destination + " does not know what the connection from "
                        + local + " has carried";
                STRANGERS.warn(
                        what + "; it stays with the kernel. Find out who listens by rdma_cm on that port, and whether a"
                                + " proxy is between",
                        null);
                throw new FallbackException(FallbackReason.UNPROVED, what);
            }
            default -> {
                return new RdmaOwnership(key, true, true);
            }
        }
    }

    private FallbackException refused(CmEvent event) {
        if (event.status() == BY_PROGRAM) {
            return Offer.refused(event.privateData());
        }
        if (event.status() == NOBODY_LISTENS) {
            return new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, null);
        }
        return new FallbackException(
                FallbackReason.NO_RESOURCES, "the peer's connection manager refused, status " + event.status());
    }

    @Override
    public void abort() {
        if (!done) {
            done = true;
            if (endpoint != null) {
                endpoint.close();
                endpoint.memory().free();
            }
            Endpoint.close(channel, "event channel's descriptor");
            service.destroy(id, () -> Endpoint.close(events, "event channel"));
        }
    }

    private int millisLeft() {
        return (int) Math.max(1, Math.min(60_000, (deadline - System.nanoTime()) / 1_000_000));
    }
}
