// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Privileged;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Names in the form of addresses for what has no address: fabrics, and what looks connections up, know connections by two internet
 * addresses. No packet ever goes to these, which lie in the block of private addresses.
 */
final class UnixName {
    /** Why a connection or a listener without such a name stays with the kernel. */
    static final String NO_FILE = "the socket's file is gone, or this process may not look at it";

    private static final int LENGTH = 16;
    private static final int PORT = 1;
    private static final byte PRIVATE = (byte) 0xfd;
    private static final byte FILE = 1;
    private static final byte CONNECTION = 2;
    /** The bytes of a device's number that fit; Linux has four. */
    private static final int DEVICE_BITS = 48;

    private UnixName() {}

    /**
     * The name of the file to which a listener is bound, made of its device and its inode.
     *
     * @param bound the listener's address
     * @return null if there is no such file, or nobody may look at it
     */
    static InetSocketAddress ofFile(SocketAddress bound) {
        if (!(bound instanceof UnixDomainSocketAddress unix)
                || unix.getPath().toString().isEmpty()) {
            return null;
        }
        try {
            return ofFile(unix.getPath());
        } catch (IOException | RuntimeException e) {
            return null; // removed, or forbidden: the connection stays with the kernel, which needs the file no more
        }
    }

    private static InetSocketAddress ofFile(Path path) throws IOException {
        Map<String, Object> is = Privileged.call(() -> Files.readAttributes(path, "unix:dev,ino"));
        long device = ((Number) is.get("dev")).longValue();
        long inode = ((Number) is.get("ino")).longValue();
        ByteBuffer name = begin(FILE);
        name.putShort((short) (device >>> (DEVICE_BITS - Short.SIZE))).putInt((int) device);
        return end(name.putLong(inode));
    }

    /** A name for a connection that no other has. */
    static InetSocketAddress ofNewConnection() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        ByteBuffer name = begin(CONNECTION);
        name.putShort((short) random.nextInt()).putInt(random.nextInt());
        return end(name.putLong(random.nextLong()));
    }

    private static ByteBuffer begin(byte kind) {
        return ByteBuffer.allocate(LENGTH).put(PRIVATE).put(kind);
    }

    private static InetSocketAddress end(ByteBuffer name) {
        byte[] raw = new byte[LENGTH];
        name.flip().get(raw);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(raw), PORT);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + LENGTH + " bytes", e);
        }
    }
}
