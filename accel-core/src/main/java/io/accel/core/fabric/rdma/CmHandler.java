package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.CmEvent;

/** Takes what the connection manager reports of one identifier. Called by the service's thread; must not block. */
@FunctionalInterface
interface CmHandler {
    void on(CmEvent event);
}
