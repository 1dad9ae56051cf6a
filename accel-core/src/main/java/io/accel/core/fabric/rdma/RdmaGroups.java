// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Multicast groups over RDMA: unreliable datagrams, which the network copies for those who have joined. Each publisher has a queue pair,
 * and each process has one for each of its addresses by which it hears groups.
 */
final class RdmaGroups implements GroupNetwork {
    /** The largest MTU of InfiniBand and RoCE, and so of any datagram with its header. */
    static final int MOST_MTU = 4_096;

    private static final long PATIENCE_SECONDS = 10;

    private final GroupThread thread;
    /** Used by the thread alone. */
    private final Map<Inet4Address, GroupPort> ports = new HashMap<>();

    RdmaGroups() throws FallbackException {
        this.thread = GroupThread.get();
    }

    @Override
    public Outlet open(GroupFlow flow, int hops, Runnable failed) throws FallbackException {
        GroupOutlet outlet = new GroupOutlet(thread, flow, hops, failed);
        thread.run(outlet::open);
        try {
            return await(outlet.opened());
        } catch (FallbackException e) {
            thread.run(outlet::abandon);
            throw e;
        }
    }

    @Override
    public Membership join(Inet4Address group, Inet4Address on, Listener listener) throws FallbackException {
        CompletableFuture<Void> joined = new CompletableFuture<>();
        thread.run(() -> {
            try {
                CompletableFuture<Void> unused = port(on).add(group, listener).whenComplete((nothing, why) -> {
                    if (why == null) {
                        joined.complete(null);
                    } else {
                        joined.completeExceptionally(why);
                    }
                });
            } catch (IOException e) {
                joined.completeExceptionally(Failures.toFallback(e));
            }
        });
        Membership membership = () -> thread.run(() -> {
            GroupPort port = ports.get(on);
            if (port != null) {
                port.remove(group, listener);
            }
        });
        try {
            await(joined);
            return membership;
        } catch (FallbackException e) {
            membership.close();
            throw e;
        }
    }

    private GroupPort port(Inet4Address on) throws IOException {
        GroupPort port = ports.get(on);
        if (port == null) {
            port = new GroupPort(thread, on, () -> ports.remove(on));
            ports.put(on, port);
        }
        return port;
    }

    private static <T> T await(CompletableFuture<T> future) throws FallbackException {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw Failures.toFallback(e.getCause());
        } catch (TimeoutException e) {
            throw new FallbackException(
                    FallbackReason.TIMEOUT,
                    "the connection manager did not join the group in " + PATIENCE_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FallbackException(FallbackReason.NO_RESOURCES, "interrupted while joining a group");
        }
    }

    /** Why a group, or all groups of an address, cannot be used. */
    static FallbackException refusal(CmEvent event, InetAddress subject) {
        return new FallbackException(
                FallbackReason.NO_DEVICE,
                subject.getHostAddress() + ": " + event.type() + ", status " + event.status());
    }
}
