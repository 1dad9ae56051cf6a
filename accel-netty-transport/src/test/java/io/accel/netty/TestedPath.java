package io.accel.netty;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where the tests' servers listen, and what carries the connections to them: shared memory on loopback if nothing is said. */
public final class TestedPath {
    /** {@code suite.path}: the path's name. */
    public static final String NAME = System.getProperty("suite.path", "shm");

    /** {@code suite.address}: the address, which is a device's if the path is {@code rdma}. */
    public static final InetAddress ADDRESS = address();

    private TestedPath() {}

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
