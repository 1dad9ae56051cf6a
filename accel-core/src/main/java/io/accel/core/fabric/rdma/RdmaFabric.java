// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.DeviceInfo;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Streams over RDMA: InfiniBand, RoCE, Soft-RoCE, through librdmacm and libibverbs. Creating it touches neither; the first
 * connection or listener does, if the kernel knows of a device at all.
 */
public final class RdmaFabric implements Fabric {
    private final RdmaConfig config;
    private final CmService.Source services;
    private final Availability availability = new Availability();
    /** The listeners by their address on the device. */
    private final Map<InetSocketAddress, RdmaListener> listeners = new ConcurrentHashMap<>();

    /**
     * Makes the fabric with a profile's settings.
     *
     * @param config the settings
     */
    public RdmaFabric(RdmaConfig config) {
        this(config, CmService::get);
    }

    /** Makes the fabric with a service other than the process's. */
    RdmaFabric(RdmaConfig config, CmService.Source services) {
        this.config = config;
        this.services = services;
    }

    @Override
    public String name() {
        return "rdma";
    }

    /** So that neither end of a handshake takes a stranger for its peer. */
    @Override
    public boolean comparesBeginnings() {
        return config.provesOwners();
    }

    @Override
    public Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException {
        availability.check();
        checkPort(destination);
        InetAddress from = sourceFor(destination);
        availability.check(from);
        CmService service = services.get();
        InetSocketAddress local = source.bind(from);
        availability.check(local.getAddress());
        try {
            int rings = Math.min(ringSize, config.ringSize()); // a device's pinned memory has its limits
            return new RdmaConnecting(
                    service, config, rings, availability, local, destination, source, typeOfService(source));
        } catch (IOException e) {
            FallbackException why = Failures.toFallback(e);
            if (why.reason() == FallbackReason.NO_DEVICE) {
                availability.without(local.getAddress(), why);
            }
            throw why;
        }
    }

    @Override
    public Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
        availability.check();
        checkPort(bound);
        try {
            InetSocketAddress there = new InetSocketAddress(bound.getAddress(), bound.getPort() + config.portOffset());
            return join(services.get(), there, acceptor);
        } catch (IOException e) {
            throw Failures.toFallback(e);
        }
    }

    private Listening join(CmService service, InetSocketAddress there, Acceptor acceptor) throws IOException {
        Listening place;
        do {
            place = listeners
                    .computeIfAbsent(there, key -> new RdmaListener(service, config, key, () -> listeners.remove(key)))
                    .join(acceptor);
        } while (place == null);
        return place;
    }

    @Override
    public List<DeviceInfo> devices() throws FallbackException {
        availability.check();
        try {
            return DeviceInspection.devices();
        } catch (IOException e) {
            throw Failures.toFallback(e);
        }
    }

    @Override
    public GroupNetwork groups() throws FallbackException {
        availability.check();
        return new RdmaGroups(GroupThread.get());
    }

    private int typeOfService(Source source) {
        return config.tos() >= 0 ? config.tos() : source.typeOfService();
    }

    private void checkPort(InetSocketAddress address) throws FallbackException {
        int port = address.getPort() + config.portOffset();
        if (port < 1 || port > 65_535) {
            throw new FallbackException(
                    FallbackReason.RULE,
                    "port " + address.getPort() + " has no RDMA port: rdma.port-offset=" + config.portOffset());
        }
    }

    /** The source address that the kernel would choose, according to its routing table. No packet is sent. */
    private static InetAddress sourceFor(InetSocketAddress destination) throws FallbackException {
        try (DatagramChannel probe = JdkAccess.kernelProvider().openDatagramChannel()) {
            probe.connect(destination);
            return ((InetSocketAddress) probe.getLocalAddress()).getAddress();
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.NO_DEVICE, "no route to " + destination + ": " + e.getMessage());
        }
    }
}
