// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * The state of a device's port.
 *
 * @param state whether the port carries data
 * @param linkLayer the kind of network that the port is plugged into
 * @param activeMtu bytes of payload in a packet
 * @param maxMtu bytes of payload that the port could carry
 * @param gids entries of the port's address table, used or not
 */
public record PortAttributes(State state, LinkLayer linkLayer, int activeMtu, int maxMtu, int gids) {
    /** States of a port. */
    @CName("IBV_PORT_")
    public enum State {
        /** The device does not tell. */
        NOP,
        /** No link. */
        DOWN,
        /** There is a link, but the subnet manager has not set it up. */
        INIT,
        /** The port is nearly active. */
        ARMED,
        /** The port carries data. */
        ACTIVE,
        /** The port is active, but has lost its link for a moment. */
        ACTIVE_DEFER
    }

    /** Kinds of link. */
    @CName("IBV_LINK_LAYER_")
    public enum LinkLayer {
        /** The device does not tell; InfiniBand with old drivers. */
        UNSPECIFIED,
        /** InfiniBand. */
        INFINIBAND,
        /** RoCE or iWARP. */
        ETHERNET
    }

    static PortAttributes of(ByteBuffer from) {
        return new PortAttributes(
                known(State.values(), from.getInt(IbvPortAttr.STATE)),
                known(LinkLayer.values(), from.get(IbvPortAttr.LINK_LAYER)),
                mtu(from.getInt(IbvPortAttr.ACTIVE_MTU)),
                mtu(from.getInt(IbvPortAttr.MAX_MTU)),
                from.getInt(IbvPortAttr.GID_TBL_LEN));
    }

    /** The first constant of both means "not told"; a newer device's unknown state is taken for that. */
    private static <T> T known(T[] constants, int code) {
        return code >= 0 && code < constants.length ? constants[code] : constants[0];
    }

    /** The C enum counts from IBV_MTU_256 = 1 in powers of two. */
    private static int mtu(int code) {
        return 128 << code;
    }
}
