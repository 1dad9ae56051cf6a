// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import java.io.IOException;
import java.util.List;

/** Reports the huge pages that the kernel has for large buffers. */
final class MemoryChecks {
    private MemoryChecks() {}

    static List<Finding> hugePages(SystemFiles files) throws IOException {
        String reserved = files.value("proc/meminfo", "HugePages_Total:");
        String transparent = files.exists("sys/kernel/mm/transparent_hugepage/shmem_enabled")
                ? files.value("sys/kernel/mm/transparent_hugepage/shmem_enabled", "")
                        .replaceFirst(".*\\[(.*)\\].*", "$1")
                : "not known";
        return List.of(Finding.ok(
                "memory.huge-pages",
                (reserved.isEmpty() ? "0" : reserved) + " reserved; transparent ones for shared memory: " + transparent
                        + " (not needed: rings are small)"));
    }
}
