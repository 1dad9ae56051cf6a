// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Fabric.Acceptor;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.OwnershipSecrets;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.ConnectionParameters;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;

/**
 * The listener's side of one client's handshake. The service's thread owns it. A client that offers nonsense or falls
 * silent costs its own connection and no other.
 */
final class ServerHandshake implements CmHandler {
    private static final Log LOG = Log.of(ServerHandshake.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    private static final Warnings STRANGERS = new Warnings(LOG);
    /** How long bytes may precede the confirmation before the confirmation counts as lost. */
    private static final long PATIENCE_NANOS = 40_000_000L;

    private final CmService service;
    private final Acceptor acceptor;
    private final CmId id;
    private final RdmaLink link;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final long answeredAt = System.nanoTime();
    private final long deadline;
    private boolean isConfirmed;
    /** Whether the link was taken back. */
    private boolean isOver;

    private ServerHandshake(
            CmService service,
            RdmaConfig config,
            Acceptor acceptor,
            Endpoint endpoint,
            Offer client,
            int ringSize,
            RdmaOwnership ownership) {
        this.service = service;
        this.acceptor = acceptor;
        this.id = endpoint.id();
        this.link = new RdmaLink(service, endpoint, client, ringSize, config, ownership);
        this.local = id.localAddress();
        this.remote = new InetSocketAddress(id.remoteAddress().getAddress(), client.port());
        this.deadline = answeredAt + config.handshakeTimeoutNanos();
    }

    /** Answers a client's request: accepts, and waits for the client's confirmation, or refuses with a reason. */
    static void begin(CmService service, RdmaConfig config, Acceptor acceptor, CmEvent request) {
        CmId id = request.id();
        try {
            Offer client = Offer.decode(request.privateData());
            RdmaListener.checkDevice(service, id, config);
            long deadline = System.nanoTime() + Math.max(config.probeTimeoutNanos(), config.handshakeTimeoutNanos());
            ask(service, config, acceptor, id, client, deadline);
        } catch (Throwable e) {
            warnOfError(e);
            refuse(service, id, e);
        }
    }

    /**
     * An error that one client causes ends its handshake, and nothing else; but the error may not be the client's
     * doing.
     */
    private static void warnOfError(Throwable e) {
        if (!(e instanceof IOException)) {
            ERRORS.warn("a client's handshake over RDMA met an error and was ended", e);
        }
    }

    /** Asks whether there may be a link, now or, if the program has not accepted the connection, again later. */
    private static void ask(
            CmService service, RdmaConfig config, Acceptor acceptor, CmId id, Offer client, long deadline)
            throws IOException {
        InetSocketAddress local = id.localAddress();
        InetSocketAddress remote = new InetSocketAddress(id.remoteAddress().getAddress(), client.port());
        Asker asker = new Asker(service, acceptor, id, local, remote, deadline);
        service.handle(id, asker);
        boolean reserved = acceptor.reserve(
                local,
                remote,
                () -> service.run(() -> {
                    if (asker.over) {
                        return;
                    }
                    service.waiting().remove(asker);
                    try {
                        ask(service, config, acceptor, id, client, deadline);
                    } catch (Throwable e) {
                        warnOfError(e);
                        refuse(service, id, e);
                    }
                }));
        if (reserved) {
            answer(service, config, acceptor, id, client, local, remote);
        } else {
            service.waiting().add(asker);
        }
    }

    private static void answer(
            CmService service,
            RdmaConfig config,
            Acceptor acceptor,
            CmId id,
            Offer client,
            InetSocketAddress local,
            InetSocketAddress remote) {
        Endpoint endpoint = null;
        ServerHandshake handshake = null;
        try {
            Beginnings seen = config.provesOwners() ? seen(acceptor, local, remote) : null;
            boolean knows = knows(client, seen, remote);
            long secret = OwnershipSecrets.random();
            byte[] key = Offer.secrets(client.nonce(), client.secret(), secret);
            Carried carried = client.carried().answer(seen, key);
            if (config.provesOwners() && !client.carried().isEnough(carried)) {
                throw new FallbackException(
                        FallbackReason.NOT_YET, "this end's program has not read enough of the bytes to be known");
            }
            id.acknowledgeTimeout(config.ackTimeoutCode());
            int ringSize = Math.min(client.ringSize(), config.ringSize());
            endpoint = Endpoint.open(id, config, ringSize, acceptor.waiter(local, remote));
            client.checkNotification(endpoint.words() != null);
            RdmaOwnership ownership = config.provesOwners() ? new RdmaOwnership(key, false, knows) : null;
            handshake = new ServerHandshake(service, config, acceptor, endpoint, client, ringSize, ownership);
            service.handle(id, handshake);
            service.add(handshake);
            Offer answer = RdmaConnecting.offer(
                    endpoint, ringSize, client.nonce(), handshake.local.getPort(), secret, carried);
            if (!acceptor.offered(handshake.link, local, remote)) {
                handshake.fail();
                handshake.link.free();
                return;
            }
            id.accept(new ConnectionParameters(answer.encode(), 1, config.retries(), config.rnrRetries()));
            handshake.link.connected();
        } catch (Throwable e) {
            warnOfError(e);
            if (handshake != null) {
                LOG.get().log(Level.DEBUG, "accepting a client of " + local + " failed", e);
                reject(id, Failures.toFallback(e));
                handshake.end("accepting it failed");
                return;
            }
            acceptor.unreserve(local, remote);
            if (endpoint == null) {
                refuse(service, id, e);
            } else {
                reject(id, Failures.toFallback(e));
                service.unhandle(id);
                endpoint.close();
                service.destroy(id);
                endpoint.memory().free();
            }
        }
    }

    private static Beginnings seen(Acceptor acceptor, InetSocketAddress local, InetSocketAddress remote) {
        Acceptor.Known known = acceptor.known(local, remote);
        return known == null ? null : known.beginnings();
    }

    /**
     * Whether the client has shown that it knows what the connection has carried.
     *
     * @throws FallbackException if it takes another connection for this one
     */
    private static boolean knows(Offer client, Beginnings seen, InetSocketAddress remote) throws FallbackException {
        byte[] key = Offer.secrets(client.nonce(), client.secret());
        Carried.Verdict verdict = client.carried().ofClient(seen, key);
        if (verdict == Carried.Verdict.OTHER) {
            String what = "who asks over RDMA for the link of " + remote + " does not know what that connection has"
                    + " carried";
            STRANGERS.warn(what + ", and gets none; find out who connects by rdma_cm there", null);
            throw new FallbackException(FallbackReason.UNPROVED, what);
        }
        return verdict == Carried.Verdict.SAME;
    }

    /** A client that waits for its answer, and may go away meanwhile. */
    private static final class Asker implements CmHandler, WaitingClients.Client {
        private final CmService service;
        private final Acceptor acceptor;
        private final CmId id;
        private final InetSocketAddress local;
        private final InetSocketAddress remote;
        private final Context device;
        private final long deadline;
        /** Used by the service's thread only. */
        private boolean over;

        Asker(
                CmService service,
                Acceptor acceptor,
                CmId id,
                InetSocketAddress local,
                InetSocketAddress remote,
                long deadline)
                throws IOException {
            this.service = service;
            this.acceptor = acceptor;
            this.id = id;
            this.local = local;
            this.remote = remote;
            this.device = id.context();
            this.deadline = deadline;
        }

        @Override
        public void on(CmEvent event) {
            end(event.toString());
        }

        @Override
        public Context device() {
            return device;
        }

        @Override
        public long deadline() {
            return deadline;
        }

        @Override
        public void end(String why) {
            over = true;
            service.waiting().remove(this);
            acceptor.unreserve(local, remote);
            refuse(service, id, new FallbackException(FallbackReason.TIMEOUT, remote + " is not answered: " + why));
        }
    }

    @Override
    public void on(CmEvent event) {
        switch (event.type()) {
            case ESTABLISHED -> {
                service.remove(this);
                service.handle(id, link);
                service.add(link);
                acceptor.confirmed(link);
            }
            case CONNECT_ERROR, REJECTED, UNREACHABLE, DISCONNECTED -> end(event.toString());
            case DEVICE_REMOVAL -> {
                end(event.toString());
                link.giveBackDevice();
            }
            default -> LOG.get().log(Level.DEBUG, "handshake: {0}", event);
        }
    }

    /** Attends to the handshake while the client's confirmation is missing. */
    void attend(long now) {
        if (now - deadline >= 0) {
            end("the client did not confirm in time");
        } else if (!isConfirmed && now - answeredAt >= PATIENCE_NANOS && link.hasHeard()) {
            confirm();
        }
    }

    /** The confirmation was lost, but the client has sent data that follows it. */
    private void confirm() {
        isConfirmed = true;
        try {
            id.dataHasCome();
        } catch (VerbsException e) {
            LOG.get().log(Level.DEBUG, "the client " + remote + " has confirmed after all, or is gone", e);
        }
    }

    /** Attending has met an error, whatever it is: the handshake is over, and gets no attention any more. */
    void meetError(Throwable e) {
        warnOfError(e);
        service.remove(this);
        end("this end met an error");
    }

    /** Takes the link back, over which nobody has received anything; once. */
    private void end(String why) {
        if (isOver) {
            return;
        }
        isOver = true;
        LOG.get().log(Level.DEBUG, "the client {0} went away during its handshake: {1}", remote, why);
        try {
            fail();
        } finally {
            acceptor.withdrawn(link);
        }
    }

    private void fail() {
        service.remove(this);
        service.handle(id, link);
        service.add(link);
        link.failNow();
    }

    private static void refuse(CmService service, CmId id, Throwable e) {
        reject(id, Failures.toFallback(e));
        service.unhandle(id);
        service.destroy(id);
    }

    private static void reject(CmId id, FallbackException e) {
        LOG.get().log(Level.DEBUG, "refused a client of {0}: {1} ({2})", id.localAddress(), e.reason(), e.getMessage());
        try {
            id.reject(Offer.refusal(e.reason()));
        } catch (VerbsException gone) {
            LOG.get().log(Level.DEBUG, "the refused client is gone already", gone);
        }
    }
}
