// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.rdma.verbs.MemoryRegion;
import io.accel.core.fabric.rdma.verbs.ProtectionDomain;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.observe.MemoryUse;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;

/**
 * The program's memory that one connection's device reads from. It is registered at first use, until the connection
 * ends. After a failure, registration is not tried again. Not thread-safe.
 */
final class ProgramMemory {
    private static final Log LOG = Log.of(ProgramMemory.class);

    private final IdentityHashMap<ByteBuffer, MemoryRegion> regions = new IdentityHashMap<>();
    private boolean failed;
    private long registered;

    /** The memory's region on the device; null if the device cannot have it. */
    MemoryRegion of(ProtectionDomain domain, ByteBuffer memory) {
        MemoryRegion region = regions.get(memory);
        if (region == null && !failed) {
            try {
                region = domain.register(memory, 0);
                regions.put(memory, region);
                registered += memory.capacity();
                MemoryUse.registered(memory.capacity());
            } catch (VerbsException e) {
                failed = true;
                LOG.get()
                        .log(
                                Level.INFO,
                                "bytes are copied instead of sent from where they lie (ulimit -l): {0}",
                                e.getMessage());
            }
        }
        return region;
    }

    /** Closes all regions, when no request is left that uses them. */
    void close() {
        regions.values().forEach(region -> Endpoint.close(region, "memory region of the program"));
        regions.clear();
        failed = true;
        MemoryUse.registered(-registered);
        registered = 0;
    }
}
