// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.CmEvent;

/**
 * Handles the events that the connection manager reports for one identifier. The service's thread calls it; it must
 * not block.
 */
@FunctionalInterface
interface CmHandler {
    void on(CmEvent event);
}
