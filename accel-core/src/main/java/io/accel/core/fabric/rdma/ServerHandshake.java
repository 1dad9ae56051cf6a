package io.accel.core.fabric.rdma;

import io.accel.core.fabric.Fabric.Acceptor;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.ConnectionParameters;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;

/**
 * The listener's side of one client's handshake. Owned by the service's thread; a client that offers nonsense or falls silent
 * costs its own connection and nobody else's.
 */
final class ServerHandshake implements CmHandler {
    private static final Logger LOG = System.getLogger(ServerHandshake.class.getName());
    /** Bytes may be a moment ahead of the confirmation without its being lost. */
    private static final long PATIENCE_NANOS = 40_000_000L;

    private final CmService service;
    private final Acceptor acceptor;
    private final CmId id;
    private final Endpoint endpoint;
    private final RdmaLink link;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final long answeredAt = System.nanoTime();
    private final long deadline;
    private boolean isConfirmed;

    private ServerHandshake(
            CmService service, RdmaConfig config, Acceptor acceptor, Endpoint endpoint, Offer client, int ringSize) {
        this.service = service;
        this.acceptor = acceptor;
        this.endpoint = endpoint;
        this.id = endpoint.id();
        this.link = new RdmaLink(service, endpoint, client, ringSize, config);
        this.local = id.localAddress();
        this.remote = new InetSocketAddress(id.remoteAddress().getAddress(), client.port());
        this.deadline = answeredAt + config.handshakeTimeoutNanos();
    }

    /** Answers a client's request: accepts, and waits for its confirmation, or says why not. */
    static void begin(CmService service, RdmaConfig config, Acceptor acceptor, CmEvent request) {
        CmId id = request.id();
        boolean reserved = false;
        Endpoint endpoint = null;
        ServerHandshake handshake = null;
        try {
            Offer client = Offer.decode(request.privateData());
            RdmaListener.checkDevice(id, config);
            reserved = acceptor.reserve();
            if (!reserved) {
                throw new FallbackException(FallbackReason.BACKLOG_FULL, null);
            }
            id.acknowledgeTimeout(config.ackTimeoutCode());
            int ringSize = Math.min(client.ringSize(), config.ringSize());
            endpoint = Endpoint.open(id, config, ringSize);
            client.checkNotification(endpoint.words() != null);
            handshake = new ServerHandshake(service, config, acceptor, endpoint, client, ringSize);
            service.handle(id, handshake);
            service.add(handshake);
            Offer answer = RdmaConnecting.offer(endpoint, ringSize, client.nonce(), handshake.local.getPort());
            id.accept(new ConnectionParameters(answer.encode(), 1, config.retries(), config.rnrRetries()));
        } catch (IOException | OutOfMemoryError e) {
            if (reserved) {
                acceptor.unreserve();
            }
            refuse(id, Failures.toFallback(e));
            service.unhandle(id);
            if (handshake != null) {
                service.remove(handshake); // otherwise it would be ended once more when its time is up
            }
            if (endpoint == null) {
                Endpoint.close(id, "client's identifier");
            } else {
                endpoint.close();
                endpoint.memory().free();
            }
        }
    }

    @Override
    public void on(CmEvent event) {
        switch (event.type()) {
            case ESTABLISHED -> {
                service.remove(this);
                service.handle(id, link);
                service.add(link);
                acceptor.accept(link, local, remote);
            }
            case CONNECT_ERROR, REJECTED, UNREACHABLE, DISCONNECTED, DEVICE_REMOVAL -> end(event.toString());
            default -> LOG.log(Level.DEBUG, "handshake: {0}", event);
        }
    }

    /** Looks after it while the client's confirmation is not there. */
    void attend(long now) {
        if (now - deadline >= 0) {
            end("the client did not confirm in time");
        } else if (!isConfirmed && now - answeredAt >= PATIENCE_NANOS && link.hasHeard()) {
            confirm();
        }
    }

    /** The confirmation was lost, but the client has sent what it sends after that. */
    private void confirm() {
        isConfirmed = true;
        try {
            id.dataHasCome();
        } catch (VerbsException e) {
            LOG.log(Level.DEBUG, "the client " + remote + " has confirmed after all, or is gone", e);
        }
    }

    private void end(String why) {
        LOG.log(Level.DEBUG, "the client {0} went away during its handshake: {1}", remote, why);
        service.remove(this);
        service.unhandle(id);
        endpoint.close();
        endpoint.memory().free();
        acceptor.unreserve();
    }

    private static void refuse(CmId id, FallbackException e) {
        LOG.log(Level.DEBUG, "refused a client of {0}: {1} ({2})", id.localAddress(), e.reason(), e.getMessage());
        try {
            id.reject(Offer.refusal(e.reason()));
        } catch (VerbsException gone) {
            LOG.log(Level.DEBUG, "the refused client is gone already", gone);
        }
    }
}
