// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/**
 * A program that knows nothing of Accel, and nothing of channels: datagrams to and fro between two sockets, an interrupt, a group. Prints
 * their path. Datagrams leave the kernel some time after the first; with an argument it waits for that.
 */
final class DatagramsOnce {
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private DatagramsOnce() {}

    public static void main(String[] args) throws Exception {
        try (DatagramSocket left = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                DatagramSocket right = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            System.out.println("broadcast " + left.getBroadcast() + ", channel " + left.getChannel());
            long end = System.nanoTime() + PATIENCE_NANOS;
            do {
                send(left, "there", right);
                receive(right);
                send(right, "back", left);
                receive(left);
            } while (args.length > 0 && SocketsOnce.isKernels() && System.nanoTime() - end < 0);
            System.out.println("kernel's " + SocketsOnce.isKernels());

            Thread.currentThread().interrupt();
            send(left, "interrupted", right);
            System.out.println(receive(right) + " " + Thread.interrupted() + ", closed " + right.isClosed());

            left.connect(right.getLocalSocketAddress());
            left.send(new DatagramPacket(new byte[5], 5));
            DatagramPacket small = new DatagramPacket(new byte[3], 3);
            right.receive(small);
            System.out.println("of 5 bytes " + small.getLength() + ", connected " + left.isConnected());
        }
        try (MulticastSocket group = new MulticastSocket(0)) {
            System.out.println("reused " + group.getReuseAddress() + ", " + join(group));
        }
    }

    private static void send(DatagramSocket from, String text, DatagramSocket to) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        from.send(new DatagramPacket(bytes, bytes.length, to.getLocalSocketAddress()));
    }

    private static String receive(DatagramSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[100], 100);
        socket.receive(packet);
        return new String(packet.getData(), 0, packet.getLength(), StandardCharsets.ISO_8859_1);
    }

    private static String join(MulticastSocket socket) throws SocketException {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        try {
            socket.joinGroup(new InetSocketAddress("230.1.2.3", 0), loopback);
            socket.leaveGroup(new InetSocketAddress("230.1.2.3", 0), loopback);
            return "joined and left";
        } catch (IOException e) {
            return e.toString();
        }
    }
}
