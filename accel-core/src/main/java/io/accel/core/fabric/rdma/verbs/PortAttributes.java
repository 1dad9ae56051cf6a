package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * The state of a device's port.
 *
 * @param state whether it carries data
 * @param linkLayer what it is plugged into
 * @param activeMtu bytes of payload in a packet
 * @param maxMtu bytes the port could do
 * @param gids entries of its address table, used or not
 */
public record PortAttributes(State state, LinkLayer linkLayer, int activeMtu, int maxMtu, int gids) {
    /** States of a port. */
    @CName("IBV_PORT_")
    public enum State {
        /** Not told. */
        NOP,
        /** No link. */
        DOWN,
        /** Link, but not set up by the subnet manager. */
        INIT,
        /** Nearly there. */
        ARMED,
        /** Carries data. */
        ACTIVE,
        /** Active with a link that is lost for a moment. */
        ACTIVE_DEFER
    }

    /** Kinds of link. */
    @CName("IBV_LINK_LAYER_")
    public enum LinkLayer {
        /** Not told; InfiniBand with old drivers. */
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

    /** The first constant of both means "not told", which is what a newer device's new state is to us. */
    private static <T> T known(T[] constants, int code) {
        return code >= 0 && code < constants.length ? constants[code] : constants[0];
    }

    /** The C enum counts from IBV_MTU_256 = 1 in powers of two. */
    private static int mtu(int code) {
        return 128 << code;
    }
}
