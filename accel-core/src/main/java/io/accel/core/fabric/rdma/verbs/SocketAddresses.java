// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Converts between Java's socket addresses and C's. */
final class SocketAddresses {
    private SocketAddresses() {}

    static NativeMemory toNative(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        if (host == null) {
            throw new IllegalArgumentException(address + " is not resolved");
        }
        NativeMemory memory = NativeMemory.allocate(SockaddrIn6.SIZE);
        ByteBuffer to = memory.buffer;
        // Family and port are at the same place in both.
        to.putShort(SockaddrIn.FAMILY, (short) (host instanceof Inet4Address ? LibC.AF_INET : LibC.AF_INET6));
        to.putShort(SockaddrIn.PORT, NetworkOrder.swap((short) address.getPort()));
        to.put(host instanceof Inet4Address ? SockaddrIn.ADDR : SockaddrIn6.ADDR, host.getAddress());
        if (host instanceof Inet6Address v6) {
            to.putInt(SockaddrIn6.SCOPE_ID, v6.getScopeId());
        }
        return memory;
    }

    /** Returns null where there is no address yet. */
    static InetSocketAddress fromNative(long address) {
        int family = NativeMemory.getShort(address + SockaddrIn.FAMILY);
        int port = NetworkOrder.swap(NativeMemory.getShort(address + SockaddrIn.PORT)) & 0xffff;
        try {
            if (family == LibC.AF_INET) {
                return new InetSocketAddress(
                        InetAddress.getByAddress(NativeMemory.getBytes(address + SockaddrIn.ADDR, 4)), port);
            }
            if (family == LibC.AF_INET6) {
                byte[] bytes = NativeMemory.getBytes(address + SockaddrIn6.ADDR, 16);
                int scope = NativeMemory.getInt(address + SockaddrIn6.SCOPE_ID);
                InetAddress host =
                        scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
                return new InetSocketAddress(host, port);
            }
            return null;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of the wrong length", e);
        }
    }
}
