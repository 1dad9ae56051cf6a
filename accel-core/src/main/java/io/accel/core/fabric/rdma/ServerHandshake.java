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

    private final CmService service;
    private final Acceptor acceptor;
    private final CmId id;
    private final Endpoint endpoint;
    private final RdmaLink link;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final long deadline;

    private ServerHandshake(
            CmService service, RdmaConfig config, Acceptor acceptor, Endpoint endpoint, Offer client, int ringSize) {
        this.service = service;
        this.acceptor = acceptor;
        this.endpoint = endpoint;
        this.id = endpoint.id();
        this.link = new RdmaLink(service, endpoint, client, ringSize, config);
        this.local = id.localAddress();
        this.remote = new InetSocketAddress(id.remoteAddress().getAddress(), client.port());
        this.deadline = System.nanoTime() + config.handshakeTimeoutNanos();
    }

    /** Answers a client's request: accepts, and waits for its confirmation, or says why not. */
    static void begin(CmService service, RdmaConfig config, Acceptor acceptor, CmEvent request) {
        CmId id = request.id();
        boolean reserved = false;
        Endpoint endpoint = null;
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
            ServerHandshake handshake = new ServerHandshake(service, config, acceptor, endpoint, client, ringSize);
            service.handle(id, handshake);
            service.add(handshake);
            Offer answer = RdmaConnecting.offer(endpoint, ringSize, client.nonce(), handshake.local.getPort());
            id.accept(new ConnectionParameters(answer.encode(), 1, config.retries(), config.rnrRetries()));
        } catch (IOException e) {
            if (reserved) {
                acceptor.unreserve();
            }
            refuse(id, Failures.toFallback(e));
            service.unhandle(id);
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

    void expire(long now) {
        if (now - deadline >= 0) {
            end("the client did not confirm in time");
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
