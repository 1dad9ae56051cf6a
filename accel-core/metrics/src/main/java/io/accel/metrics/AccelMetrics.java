// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics;

import io.accel.core.daemon.Privileged;
import io.accel.metrics.meters.BindingClassLoader;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Accel's metrics for a program's own Micrometer registry: {@code new AccelMetrics().bindTo(registry)}. Where a
 * {@link io.micrometer.core.instrument.binder.MeterBinder} is wanted, {@code registry -> new
 * AccelMetrics().bindTo(registry)} is one; a method reference would look for Micrometer in the class loader of this
 * class.
 *
 * <p>This is no {@code MeterBinder} itself, so that it can be loaded where Micrometer cannot be seen: with the agent Accel is on the
 * system class path, and Micrometer may be in the jars within an application's jar.
 *
 * <p>All meters concern the whole process, and are read when the registry is asked: nothing is sampled in between,
 * and counting costs the connections nothing. The tag of a path is {@code shm}, {@code rdma} or, where that makes
 * sense, {@code kernel}; a direction is {@code in} or {@code out}, a role {@code client} or {@code server}.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>kind, unit</th><th>tags</th><th>meaning</th></tr>
 * <tr><td>{@code accel.build.info}</td><td>gauge</td><td>version, java</td><td>always 1</td></tr>
 * <tr><td>{@code accel.connections}</td><td>gauge</td><td>path, state</td><td>present connections</td></tr>
 * <tr><td>{@code accel.connections.opened}</td><td>counter</td><td>path, role</td><td>connections that got their
 * path</td></tr>
 * <tr><td>{@code accel.fallbacks}</td><td>counter</td><td>reason, actionable, role</td><td>connections that went
 * through the kernel, by reason</td></tr>
 * <tr><td>{@code accel.handshakes}</td><td>timer</td><td>path</td><td>clients' handshakes that led to a connection</td></tr>
 * <tr><td>{@code accel.bytes}</td><td>counter, bytes</td><td>path, direction</td><td>bytes that programs read and
 * wrote</td></tr>
 * <tr><td>{@code accel.messages}</td><td>counter</td><td>path, direction</td><td>reads and writes that moved bytes</td></tr>
 * <tr><td>{@code accel.publishes}</td><td>counter</td><td>path</td><td>times that bytes were made to appear at a peer</td></tr>
 * <tr><td>{@code accel.publish.size}</td><td>gauge, bytes</td><td>path</td><td>bytes of a publish, on average so far</td></tr>
 * <tr><td>{@code accel.stalls}</td><td>timer</td><td>path</td><td>senders without room in the peer's ring</td></tr>
 * <tr><td>{@code accel.doorbells}</td><td>counter</td><td>path, direction</td><td>wake-ups by system call</td></tr>
 * <tr><td>{@code accel.resets}</td><td>counter</td><td>path, direction</td><td>accelerated connections reset</td></tr>
 * <tr><td>{@code accel.drops}</td><td>counter</td><td>kind</td><td>dropped clients, datagrams and urgent
 * bytes: backlog, datagram, urgent</td></tr>
 * <tr><td>{@code accel.poll.turns}</td><td>counter</td><td>by</td><td>looks for traffic: by poller, or by blocking calls</td></tr>
 * <tr><td>{@code accel.poll.hits}</td><td>counter</td><td>by</td><td>looks of pollers, or waits of blocking calls,
 * that found traffic</td></tr>
 * <tr><td>{@code accel.poll.sleeps}</td><td>counter</td><td></td><td>times that a thread went to sleep in the kernel</td></tr>
 * <tr><td>{@code accel.poll.wakeups}</td><td>counter</td><td></td><td>sleeps that ended with something to do</td></tr>
 * <tr><td>{@code accel.wait.sleeps}</td><td>counter</td><td>why</td><td>waits that went on asleep although the profile lets
 *     them look: in-vain, unpromising, crowded, no-core</td></tr>
 * <tr><td>{@code accel.wait.offers}</td><td>timer</td><td></td><td>cores that were offered to other threads, and for how long</td></tr>
 * <tr><td>{@code accel.wait.handovers}</td><td>counter</td><td></td><td>waits that ended because the awaited thread
 * got the core</td></tr>
 * <tr><td>{@code accel.wait.delays}</td><td>timer</td><td></td><td>threads found to have been kept waiting for a core</td></tr>
 * <tr><td>{@code accel.wait.crowded}</td><td>counter</td><td></td><td>times that threads began to sleep at once,
 * because other threads wanted the cores</td></tr>
 * <tr><td>{@code accel.upgrade.price}</td><td>gauge, seconds</td><td></td><td>processor time that a faster path costs at both ends</td></tr>
 * <tr><td>{@code accel.upgrade.saving}</td><td>gauge, seconds</td><td></td><td>time that a read or a write saves over a faster path</td></tr>
 * <tr><td>{@code accel.upgrade.saved}</td><td>gauge, seconds</td><td></td><td>time saved by faster paths so far, less their cost</td></tr>
 * <tr><td>{@code accel.upgrade.waiting}</td><td>gauge</td><td></td><td>connections that wait for a faster path</td></tr>
 * <tr><td>{@code accel.upgrade.slower}</td><td>counter</td><td></td><td>connections that were slower over a faster path, and gave it back</td></tr>
 * <tr><td>{@code accel.memory.rings}</td><td>gauge, bytes</td><td>path</td><td>rings of open connections</td></tr>
 * <tr><td>{@code accel.memory.cap}</td><td>gauge, bytes</td><td>path</td><td>the most that rings may take; 0 for no
 * limit</td></tr>
 * <tr><td>{@code accel.memory.registered}</td><td>gauge, bytes</td><td></td><td>memory registered with RDMA devices</td></tr>
 * <tr><td>{@code accel.in.place.refused}</td><td>counter</td><td>why</td><td>large buffers of {@code
 * AccelByteBufAllocator} that devices send from by a copy: no-address, no-memory</td></tr>
 * <tr><td>{@code accel.captures}</td><td>gauge</td><td></td><td>captures under way</td></tr>
 * <tr><td>{@code accel.capture.packets}</td><td>counter</td><td>fate</td><td>packets that captures have kept, or dropped</td></tr>
 * </table>
 *
 * <p>The kernel counts the bytes of connections that go through it. Thread-safe; stateless.
 */
public final class AccelMetrics {
    /** Metrics of this process. */
    public AccelMetrics() {}

    /**
     * Registers all meters, with zeros for events that have not happened.
     *
     * @param registry the program's registry
     */
    // Nothing here but the signature may name Micrometer: the caller's class loader resolves that.
    @SuppressWarnings("exports") // a module that has a registry reads Micrometer, and others need not
    public void bindTo(MeterRegistry registry) {
        Class<?> type = registry.getClass();
        Privileged.get(() -> BindingClassLoader.bindingFor(type)).accept(registry);
    }
}
