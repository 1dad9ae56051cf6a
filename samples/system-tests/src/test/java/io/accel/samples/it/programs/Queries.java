// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * Queries by UDP, as of names: each has a socket of its own, which sends one datagram, receives the answer, and is closed. Both ends are in this
 * process. With {@code ends=channels} the client has channels, with {@code ends=sockets} {@code java.net.DatagramSocket}s with a time limit. For
 * each command {@code RUN n} the program says {@code RUNNING n}, makes n queries one after the other, and says {@code DONE n}.
 */
public final class Queries {
    private static final int MESSAGE_BYTES = 40;
    private static final int LIMIT_MILLIS = 10_000;

    private final DatagramSocket server =
            new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

    private Queries() throws IOException {}

    public static void main(String[] args) throws Exception {
        Console console = new Console();
        Queries all = new Queries();
        Thread answering = new Thread(all::answer, "answering");
        answering.setDaemon(true);
        answering.start();
        boolean areSockets = args[0].equals("ends=sockets");
        while (true) {
            String number = console.next().substring("RUN ".length());
            console.say("RUNNING " + number);
            for (int i = Integer.parseInt(number); i > 0; i--) {
                if (areSockets) {
                    all.askBySocket();
                } else {
                    all.askByChannel();
                }
            }
            console.say("DONE " + number);
        }
    }

    private void answer() {
        DatagramPacket packet = new DatagramPacket(new byte[MESSAGE_BYTES], MESSAGE_BYTES);
        try {
            while (true) {
                server.receive(packet);
                server.send(packet);
            }
        } catch (IOException e) {
            throw new IllegalStateException("answering failed", e);
        }
    }

    private void askBySocket() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(LIMIT_MILLIS);
            DatagramPacket packet =
                    new DatagramPacket(new byte[MESSAGE_BYTES], MESSAGE_BYTES, server.getLocalSocketAddress());
            socket.send(packet);
            socket.receive(packet);
        }
    }

    private void askByChannel() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES);
            channel.send(message, server.getLocalSocketAddress());
            channel.receive(message.clear());
        }
    }
}
