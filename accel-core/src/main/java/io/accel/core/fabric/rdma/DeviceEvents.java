// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.rdma.verbs.AsyncEvent;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Listens for the events that devices report beside completions, on each device as long as there are links on it, and
 * breaks the links that an event concerns: their connections go on through the kernel at once, and need not wait
 * until a device gives up sending.
 *
 * <p>A device that fails takes all its links with it, as does a completion queue, and a queue pair that fails its own. A port that goes down takes
 * the links that wait for something, if the kernel still has a way from their address: as where another port takes
 * the address over. Otherwise the kernel's way has gone with the port, and a link may outlive a short outage. Where a port's table of
 * addresses changes, as under a bond that changes to its other link, the links on the port ask their peers for a sign of life.
 *
 * <p>Only the service's thread.
 */
final class DeviceEvents {
    private static final Log LOG = Log.of(DeviceEvents.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    /** How often to check, for a port that is down, whether another port has taken over its addresses. */
    private static final long LOOK_NANOS = 50_000_000L;

    private final Selector selector;
    /** Whether the kernel has a way from an address. */
    private final Predicate<InetAddress> hasWay;

    private final Map<Context, Watched> devices = new HashMap<>();
    private long lookAt;

    /** A device with links. */
    private static final class Watched {
        final Set<RdmaLink> links = new HashSet<>();
        final Set<Integer> portsDown = new HashSet<>();
        /** The channel of the device's events; null if there can be none. */
        SelectableChannel channel;
    }

    DeviceEvents(Selector selector, Predicate<InetAddress> hasWay) {
        this.selector = selector;
        this.hasWay = hasWay;
    }

    /** Adds a new link. */
    void add(RdmaLink link) {
        Context context = link.endpoint().context();
        Watched device = devices.get(context);
        if (device == null) {
            device = new Watched();
            devices.put(context, device);
            device.channel = listen(context);
        }
        device.links.add(link);
    }

    private SelectableChannel listen(Context context) {
        SelectableChannel channel = null;
        try {
            channel = Endpoint.selectable(context.duplicateAsyncFd());
            channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, context);
            return channel;
        } catch (IOException e) {
            Endpoint.close(channel, "device's event descriptor");
            LOG.get()
                    .log(
                            Level.DEBUG,
                            "events of {0} are not heard; its links find out by their own sends: {1}",
                            context.device().name(),
                            e.getMessage());
            return null;
        }
    }

    /**
     * The link has given its part of the device back. A removed device is closed when nobody listens to it any more.
     */
    void remove(RdmaLink link) {
        Watched device = devices.get(link.endpoint().context());
        if (device != null && device.links.remove(link) && device.links.isEmpty()) {
            devices.remove(link.endpoint().context());
            Endpoint.close(device.channel, "device's event descriptor");
        }
    }

    /** The selector has found that a device has something to report. */
    void ready(SelectionKey key) {
        if (key.attachment() instanceof Context context && devices.containsKey(context)) {
            read(context, devices.get(context));
        }
    }

    private void read(Context context, Watched device) {
        try {
            for (AsyncEvent event = context.nextAsyncEvent(); event != null; event = context.nextAsyncEvent()) {
                take(context, device, event);
            }
        } catch (VerbsException e) {
            LOG.get().log(Level.WARNING, "the events of an RDMA device cannot be read, and are not heard any more", e);
            Endpoint.close(device.channel, "device's event descriptor");
            device.channel = null;
        }
    }

    private void take(Context context, Watched device, AsyncEvent event) {
        List<RdmaLink> links = List.copyOf(device.links);
        switch (event.type()) {
            case DEVICE_FATAL -> {
                each(links, RdmaLink::deviceFailed);
                LOG.get()
                        .log(
                                Level.WARNING,
                                "the RDMA device {0} has failed",
                                context.device().name());
            }
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR -> {
                each(links, link -> {
                    if (link.endpoint().queuePair().number() == event.number()) {
                        link.fail(event.type().name());
                    }
                });
            }
            case CQ_ERR -> {
                // The event does not say which links have that queue. None can be overrun, so this is the device's
                // failure.
                each(links, link -> link.fail("a completion queue has failed"));
            }
            case PORT_ERR -> {
                device.portsDown.add(event.number());
                look();
                LOG.get()
                        .log(
                                Level.INFO,
                                "port {0} of the RDMA device {1} is down",
                                event.number(),
                                context.device().name());
            }
            case PORT_ACTIVE -> device.portsDown.remove(event.number());
            case GID_CHANGE -> {
                each(links, link -> {
                    if (link.endpoint().port() == event.number()) {
                        link.askPeer(event.type().name());
                    }
                });
            }
            default ->
                LOG.get().log(Level.DEBUG, "{0} reports {1}", context.device().name(), event);
        }
    }

    /** Tells links of an event, which is told once: an error at one of them must not keep it from the others. */
    private static void each(List<RdmaLink> links, Consumer<RdmaLink> work) {
        Turn.each(
                links,
                work,
                (link, e) -> ERRORS.warn("telling an RDMA connection of an event of its device met an error", e),
                e -> ERRORS.warn("the RDMA thread met an error behind an error, and goes on", e));
    }

    /** When to call {@link #look}; {@link Long#MAX_VALUE} for never. */
    long nextLook() {
        for (Watched device : devices.values()) {
            if (!device.portsDown.isEmpty()) {
                return lookAt;
            }
        }
        return Long.MAX_VALUE;
    }

    /** Breaks the links on ports that are down for which that is better, if it is time. */
    void look(long now) {
        if (now - lookAt >= 0 && nextLook() != Long.MAX_VALUE) {
            look();
        }
    }

    private void look() {
        lookAt = System.nanoTime() + LOOK_NANOS;
        Map<InetAddress, Boolean> found = new HashMap<>();
        for (Watched device : devices.values()) {
            each(new ArrayList<>(device.links), link -> {
                if (device.portsDown.contains(link.endpoint().port())
                        && link.isWaiting()
                        && found.computeIfAbsent(link.localAddress(), hasWay::test)) {
                    link.fail("its port is down, and another one has its address");
                }
            });
        }
    }
}
