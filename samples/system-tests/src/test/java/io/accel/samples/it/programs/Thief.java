// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Asks a listener's rendezvous for the link of a connection that others have: {@code dir=} is their shared directory, {@code
 * listener=} the port whose rendezvous is asked, {@code from=} and {@code to=} the ports of the connection, all of the loopback.
 *
 * <p>Speaks Accel's handshake without Accel. Says {@code STATUS n} for each answer, and {@code HUNG UP} when there will be no more. With {@code
 * take=1} it takes the link if it may have it, and says {@code TAKEN} then, and {@code GOT n} for the first byte that comes by it.
 */
public final class Thief {
    private static final long MAGIC = 0x4143_4345_4c53_484dL;
    private static final int VERSION = 7;
    private static final int HEAD = 16;
    private static final int ANSWER = 16;
    private static final long NONCE = 0x7e1efL;
    private static final int RING = 1 << 16;

    private static final int GO = -1;
    private static final int DONE = 0;
    private static final byte MADE = (byte) 0xAC;

    // Of the shared file, in native byte order.
    private static final int CLIENT_STATE = 1024 + 8;
    private static final int SERVER_CURSOR = 2048;
    private static final int SERVER_SLEEPERS = 2048 + 256;
    private static final int RINGS = 4096;
    private static final int ATTACHED = 16;
    private static final int DATA = 1;
    /** The first bytes in a ring, which are not the program's. */
    private static final int PREFACE = 64;

    private Thief() {}

    public static void main(String[] args) throws IOException {
        Arguments arguments = new Arguments(args);
        Console console = new Console();
        Path rendezvous = find(Path.of(arguments.get("dir", "")), arguments.get("listener", 0));
        String namespace = rendezvous.getFileName().toString().split("-", -1)[1];
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(rendezvous.resolve("s")));
            channel.write(hello(arguments.get("from", 0), arguments.get("to", 0), namespace));
            boolean takes = arguments.get("take", 0) == 1;
            MappedByteBuffer link = null;
            ByteBuffer answer = ByteBuffer.allocate(ANSWER);
            while (channel.read(answer) >= 0) {
                if (!answer.hasRemaining()) {
                    int status = answer.getInt(ANSWER - Integer.BYTES);
                    console.say("STATUS " + status);
                    answer.clear();
                    if (takes && status == GO) {
                        link = make(rendezvous.resolve("ring-" + Long.toHexString(NONCE)));
                        channel.write(ByteBuffer.wrap(new byte[] {MADE}));
                    } else if (takes && status == DONE) {
                        use(link, channel, console);
                    }
                }
            }
        }
        console.say("HUNG UP");
    }

    private static MappedByteBuffer make(Path file) throws IOException {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE), mode)) {
            MappedByteBuffer link = channel.map(MapMode.READ_WRITE, 0, RINGS + 2 * RING);
            link.order(ByteOrder.nativeOrder());
            link.putLong(0, MAGIC).putInt(8, VERSION).putInt(12, RING).putLong(16, NONCE);
            return link;
        }
    }

    /** Says that it has the link, and sleeps until something comes by it. */
    private static void use(MappedByteBuffer link, SocketChannel doorbell, Console console) throws IOException {
        link.putInt(CLIENT_STATE, ATTACHED);
        doorbell.write(ByteBuffer.allocate(1));
        console.say("TAKEN");
        while (true) {
            link.putInt(SERVER_SLEEPERS, DATA);
            VarHandle.fullFence();
            if (link.getLong(SERVER_CURSOR) > PREFACE) {
                console.say("GOT " + link.get(RINGS + RING + PREFACE));
                return;
            }
            if (doorbell.read(ByteBuffer.allocate(ANSWER)) < 0) {
                return;
            }
        }
    }

    private static Path find(Path directory, long port) throws IOException {
        try (DirectoryStream<Path> users = Files.newDirectoryStream(directory, "accel-[0-9]*");
                DirectoryStream<Path> found =
                        Files.newDirectoryStream(users.iterator().next(), "accel-*-127.0.0.1-" + port + "~*")) {
            return found.iterator().next();
        }
    }

    private static ByteBuffer hello(long from, long to, String namespace) {
        ByteBuffer hello = ByteBuffer.allocate(256);
        hello.putLong(MAGIC).putInt(VERSION).putInt(0).putLong(NONCE).putInt(RING);
        for (long port : new long[] {from, to}) {
            byte[] address = InetAddress.getLoopbackAddress().getAddress();
            hello.put((byte) address.length).put(address).putShort((short) port);
        }
        hello.put((byte) namespace.length()).put(namespace.getBytes(StandardCharsets.US_ASCII));
        hello.putShort((short) 0).putShort((short) 0);
        return hello.putInt(HEAD - Integer.BYTES, hello.position() - HEAD).flip();
    }
}
