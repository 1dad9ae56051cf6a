// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.ChannelOption;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** The address on which the tests' servers listen, and the path of the connections to them: shared memory on loopback by default. */
public final class TestedPath {
    /** {@code suite.path}: the path's name. */
    public static final String NAME = System.getProperty("suite.path", "shm");

    /** {@code suite.address}: the address, which is a device's if the path is {@code rdma}. */
    public static final InetAddress ADDRESS = address();

    /** {@code suite.pairs}: whether Accel is tested with itself alone, and not with Netty's NIO transport on either side. */
    public static final boolean ONLY_WITH_ITSELF = "accel".equals(System.getProperty("suite.pairs"));

    /** {@code suite.allocator}: whether Netty's suite runs with {@link AccelByteBufAllocator}, whatever it asks for itself. */
    private static final boolean OWN_ALLOCATOR = "accel".equals(System.getProperty("suite.allocator"));

    private TestedPath() {}

    /** The value to set of an option that Netty's suite sets. */
    @SuppressWarnings("unchecked") // an allocator for an allocator
    public static <T> T option(ChannelOption<T> option, T value) {
        return OWN_ALLOCATOR && option.equals(ChannelOption.ALLOCATOR) ? (T) AccelByteBufAllocator.DEFAULT : value;
    }

    private static InetAddress address() {
        String address = System.getProperty("suite.address");
        if (address == null) {
            return NetUtil.LOCALHOST;
        }
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("suite.address=" + address + " is no address", e);
        }
    }
}
