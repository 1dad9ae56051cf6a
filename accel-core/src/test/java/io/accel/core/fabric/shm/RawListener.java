// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A rendezvous that answers anything that a test wants. Leaves its directory behind, as a dead process does. */
final class RawListener implements AutoCloseable {
    private final ServerSocketChannel socket;

    RawListener(Path directory) throws IOException {
        Files.createDirectory(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        socket = JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX);
        socket.bind(UnixDomainSocketAddress.of(directory.resolve(RendezvousPath.SOCKET)), 1);
    }

    /** Takes a client, reads its hello, and answers. */
    SocketChannel answer(ByteBuffer answer) throws IOException {
        SocketChannel client = socket.accept();
        ByteBuffer hello = ByteBuffer.allocate(Hello.MAX);
        while (hello.position() < Hello.HEAD) {
            client.read(hello);
        }
        client.write(answer);
        return client;
    }

    SocketChannel accept() throws IOException {
        return socket.accept();
    }

    static ByteBuffer answer(long magic, int version, int status) {
        return ByteBuffer.allocate(Hello.ANSWER)
                .putLong(magic)
                .putInt(version)
                .putInt(status)
                .flip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
