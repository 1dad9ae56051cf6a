// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.util.Collections;
import java.util.concurrent.TimeUnit;

/** The RDMA devices of this machine, for tests that need one. */
public final class RdmaDevice {
    private RdmaDevice() {}

    /** For {@code @EnabledIf}: whether the tests have a device to run on; {@code samples/lab/junit} gives them one. */
    public static boolean isThere() throws Exception {
        return Verbs.isAvailable() && address() != null;
    }

    /**
     * Removes a Soft-RoCE device. That ends when each process, this one included, has let go of it.
     *
     * @param name its name
     */
    public static void remove(String name) throws Exception {
        assertRemoved(beginRemoval(name));
    }

    /** The first half of {@link #remove}. */
    public static Process beginRemoval(String name) throws IOException {
        return new ProcessBuilder("rdma", "link", "delete", name).inheritIO().start();
    }

    /** The second half of {@link #remove}. A command that waits for good cannot be killed; the guest ends it. */
    public static void assertRemoved(Process removal) throws Exception {
        try {
            assertThat(removal.waitFor(30, TimeUnit.SECONDS))
                    .as("rdma link delete has ended")
                    .isTrue();
        } finally {
            removal.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
        }
    }

    /**
     * The first address that the connection manager binds to a device, and the kernel to a socket; null when there is none. The kernel does
     * not as long as it looks for another host that has a new IPv6 address.
     */
    public static InetAddress address() throws Exception {
        try (CmEventChannel channel = CmEventChannel.open()) {
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                for (InetAddress address : Collections.list(network.getInetAddresses())) {
                    try (CmId id = channel.createId()) {
                        id.bind(new InetSocketAddress(address, 0));
                        if (id.context() != null && isReady(address)) {
                            return address;
                        }
                    } catch (VerbsException e) {
                        // ENODEV: no device behind this address. The next one may do.
                        if (e.errno() != 19) {
                            throw e;
                        }
                    }
                }
            }
        }
        return null;
    }

    private static boolean isReady(InetAddress address) throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, address)) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        }
    }
}
