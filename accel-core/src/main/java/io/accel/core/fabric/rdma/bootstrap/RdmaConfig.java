// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.bootstrap;

import io.accel.core.fabric.PortSpace;
import java.util.List;

/**
 * The settings that the RDMA fabric takes from a profile.
 *
 * @param space the kind of connection
 * @param ringSize bytes of a listener's rings at most, a power of two, {@code ring.size} or {@code datagram.ring-size}
 * @param probeTimeoutNanos how long a client waits for a listener's answer, {@code connect.probe-timeout}
 * @param handshakeTimeoutNanos how long a listener waits for a client to finish, {@code handshake.timeout}
 * @param devices the only devices to use, or empty for any, {@code rdma.device}
 * @param tos the type of service, 0 to 255, or negative for the program's, {@code rdma.tos}
 * @param portOffset added to kernel ports, {@code rdma.port-offset}
 * @param mostRequests work requests of a send queue and of a receive queue at most, {@code rdma.queue-depth}; see {@link #queueDepth}
 * @param inline bytes up to which messages travel in their request, {@code rdma.inline}
 * @param signalEvery requests that share a completion, {@code rdma.signal-every}
 * @param rxBatch completions taken with one call, {@code rdma.rx-batch}
 * @param ackTimeoutNanos how long the device waits before it sends again, {@code rdma.ack-timeout}
 * @param retries how often the device sends again, 0 to 7, {@code rdma.retries}
 * @param rnrRetries how often it sends again to a peer without a receive, 0 to 7, where 7 is for ever, {@code
 * rdma.rnr-retries}
 * @param keepaliveNanos how long a peer may be silent before it is probed, 0 for ever, {@code rdma.keepalive}
 * @param lingerNanos how long a closed connection may be without progress, {@code rdma.linger}
 * @param notifyBySend whether a message announces a write also where the device has immediate data, {@code
 * rdma.notify}
 */
public record RdmaConfig(
        PortSpace space,
        int ringSize,
        long probeTimeoutNanos,
        long handshakeTimeoutNanos,
        List<String> devices,
        int tos,
        int portOffset,
        int mostRequests,
        int inline,
        int signalEvery,
        int rxBatch,
        long ackTimeoutNanos,
        int retries,
        int rnrRetries,
        long keepaliveNanos,
        long lingerNanos,
        boolean notifyBySend) {
    /** A connection has a request for each so many bytes of its ring, so that a device's queues take no more memory than the rings. */
    private static final int RING_BYTES_A_REQUEST = 1024;
    /** The least requests of a queue, however small the ring. */
    private static final int FEWEST_REQUESTS = 32;

    /** Keeps a copy of the list. */
    public RdmaConfig {
        devices = List.copyOf(devices);
    }

    /**
     * How many work requests the send queue and the receive queue of a connection have.
     *
     * @param ringSize bytes of its rings
     */
    public int queueDepth(int ringSize) {
        return Math.min(mostRequests, Math.max(FEWEST_REQUESTS, ringSize / RING_BYTES_A_REQUEST));
    }

    /** Whether a link carries nothing before its peer has proved that it owns the other end of the connection: datagrams have none. */
    public boolean provesOwners() {
        return space == PortSpace.TCP;
    }

    /** The verbs' code for {@link #ackTimeoutNanos}: 4.096 us * 2^code, the next one up, 1 to 31. */
    public int ackTimeoutCode() {
        int code = 1;
        while (code < 31 && (4_096L << code) < ackTimeoutNanos) {
            code++;
        }
        return code;
    }

    /**
     * The longest that a device takes to give up on a peer, after which Accel gives up on the device: some, Soft-RoCE among them,
     * take 7 retries for any number. A device's time-out may be four times what it was told (InfiniBand
     * specification, 9.7.6.1.3).
     */
    public long givingUpNanos() {
        return 4 * (retries + 1L) * (4_096L << ackTimeoutCode());
    }
}
