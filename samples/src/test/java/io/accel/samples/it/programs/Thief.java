package io.accel.samples.it.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Asks a listener's rendezvous for the link of a connection that others have: {@code dir=} is their shared directory, {@code
 * listener=} the port whose rendezvous is asked, {@code from=} and {@code to=} the ports of the connection, all of the loopback.
 *
 * <p>Speaks Accel's handshake without Accel. Says {@code STATUS n} for each answer, and {@code HUNG UP} when there will be no more.
 */
public final class Thief {
    private static final long MAGIC = 0x4143_4345_4c53_484dL;
    private static final int VERSION = 6;
    private static final int HEAD = 16;
    private static final int ANSWER = 16;
    private static final long NONCE = 0x7e1efL;
    private static final int RING = 1 << 16;

    private Thief() {}

    public static void main(String[] args) throws IOException {
        Arguments arguments = new Arguments(args);
        Console console = new Console();
        Path rendezvous = find(Path.of(arguments.get("dir", "")), arguments.get("listener", 0));
        String namespace = rendezvous.getFileName().toString().split("-", -1)[1];
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(rendezvous.resolve("s")));
            channel.write(hello(arguments.get("from", 0), arguments.get("to", 0), namespace));
            ByteBuffer answer = ByteBuffer.allocate(ANSWER);
            while (channel.read(answer) >= 0) {
                if (!answer.hasRemaining()) {
                    console.say("STATUS " + answer.getInt(ANSWER - Integer.BYTES));
                    answer.clear();
                }
            }
        }
        console.say("HUNG UP");
    }

    private static Path find(Path directory, long port) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "accel-*-127.0.0.1-" + port + "~*")) {
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
