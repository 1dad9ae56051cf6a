// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** A device that can be opened. */
@CName("struct ibv_device")
final class IbvDevice {
    static final int TRANSPORT_TYPE = 20;

    static final int NAME = 24;

    static final int DEV_NAME = 88;

    private IbvDevice() {}
}
