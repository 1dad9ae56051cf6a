// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.rdma.verbs.Verbs;
import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells whether there is RDMA here, and on which addresses. An answer is kept for a second, since devices come and
 * go. A machine without a device finds that in microseconds, before any library is loaded. Thread-safe.
 */
final class Availability {
    private static final long KEEP_NANOS = 1_000_000_000L;
    private static final int MOST_ADDRESSES = 1_000;

    private record Known(long until, FallbackReason reason, String detail) {}

    private final Path devices;
    private final long keepNanos;
    private final Map<InetAddress, Known> without = new ConcurrentHashMap<>();
    private volatile Known known = new Known(System.nanoTime() - 1, null, null);

    Availability() {
        this(Path.of("/sys/class/infiniband"));
    }

    Availability(Path devices) {
        this(devices, KEEP_NANOS);
    }

    /** For tests: with another time for which answers are kept. */
    Availability(Path devices, long keepNanos) {
        this.devices = devices;
        this.keepNanos = keepNanos;
    }

    /** Returns if there is a device that this process may use. */
    void check() throws FallbackException {
        Known now = known;
        if (System.nanoTime() - now.until() >= 0) {
            now = look();
            known = now;
        }
        if (now.reason() != null) {
            throw new FallbackException(now.reason(), now.detail());
        }
    }

    /** Returns unless it was {@linkplain #without found} a moment ago that no device has the address. */
    void check(InetAddress address) throws FallbackException {
        Known found = without.isEmpty() ? null : without.get(address);
        if (found == null) {
            return;
        }
        if (System.nanoTime() - found.until() < 0) {
            throw new FallbackException(found.reason(), found.detail());
        }
        without.remove(address, found);
    }

    /** Notes that no device has the address. */
    void without(InetAddress address, FallbackException why) {
        if (without.size() >= MOST_ADDRESSES) {
            without.clear();
        }
        without.put(address, new Known(System.nanoTime() + keepNanos, why.reason(), why.getMessage()));
    }

    private Known look() {
        if (!Files.isDirectory(devices)) {
            return known(FallbackReason.NO_DEVICE, "this machine has no RDMA device");
        }
        try {
            VerbsUnavailableException cause = Verbs.unavailabilityCause();
            return cause == null ? known(null, null) : known(Failures.reasonOf(cause.reason()), cause.getMessage());
        } catch (LinkageError e) {
            return known(
                    FallbackReason.NO_LIBRARY,
                    "jnr-ffi, which the rdma fabric needs, is not on the class path, or incomplete: " + e);
        }
    }

    private Known known(FallbackReason reason, String detail) {
        return new Known(System.nanoTime() + keepNanos, reason, detail);
    }
}
