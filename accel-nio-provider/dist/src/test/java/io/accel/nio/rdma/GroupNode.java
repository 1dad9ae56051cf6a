// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of multicast members, or a publisher: {@code GroupNode ADDRESS PORT hear COUNT} or {@code GroupNode ADDRESS PORT say}. The
 * address is that of the interface.
 *
 * <p>A publisher sends a number each few milliseconds, and more of them once its input has a {@code !}. It says the next one if its input has
 * a {@code ?}, and ends with a {@code .}. A member hears numbers until the publisher's end, and then says how many there were, the first and
 * the last, how many came twice, and which ones in between it has missed. In the end the process says how many it has counted as lost.
 */
final class GroupNode {
    static final String GROUP = "239.20.30.40";
    static final char WHERE = '?';
    static final char END_IT = '.';
    static final char FASTER = '!';
    private static final int SIZE = 1_000;
    private static final int END = Integer.MAX_VALUE;
    private static final int TIMES = 20;
    private static final int BURST = 5;
    private static final long PAUSE_NANOS = 5_000_000;
    private static final long REST_NANOS = 500_000_000;

    private GroupNode() {}

    public static void main(String[] args) throws Exception {
        NetworkInterface on = NetworkInterface.getByInetAddress(InetAddress.getByName(args[0]));
        int port = Integer.parseInt(args[1]);
        if (args[2].equals("say")) {
            say(on, port);
        } else {
            hear(on, port, Integer.parseInt(args[3]));
        }
    }

    private static void say(NetworkInterface on, int port) throws IOException {
        InetSocketAddress group = new InetSocketAddress(GROUP, port);
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
            channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, on).bind(new InetSocketAddress(0));
            System.out.println("ready");
            int burst = 1;
            for (int number = 1; ; ) {
                for (int i = 0; i < burst; i++) {
                    send(channel, group, number++);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
                int asked = System.in.available() > 0 ? System.in.read() : 0;
                if (asked == END_IT) {
                    break;
                } else if (asked == FASTER) {
                    burst = BURST;
                } else if (asked == WHERE) {
                    System.out.println("next " + number);
                }
            }
            rest(); // for those who are still receiving
            // Ends the publication, so that the kernel carries the next datagram in either mode.
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1);
            for (int i = 0; i < TIMES; i++) {
                send(channel, group, END);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static void rest() {
        long end = System.nanoTime() + REST_NANOS;
        for (long left = REST_NANOS; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void send(DatagramChannel channel, InetSocketAddress group, int number) throws IOException {
        ByteBuffer datagram = ByteBuffer.allocate(SIZE);
        for (int i = 0; i < SIZE / Integer.BYTES; i++) {
            datagram.putInt(number * (i + 1));
        }
        int unused = channel.send(datagram.flip(), group);
    }

    private static void hear(NetworkInterface on, int port, int count) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(new InetSocketAddress(port));
            Object unused = channel.join(InetAddress.getByName(GROUP), on);
            threads.add(new Thread(() -> hear(channel)));
        }
        System.out.println("ready");
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("lost " + ProcessCounters.drops(Drop.MULTICAST));
    }

    private static void hear(DatagramChannel channel) {
        ByteBuffer datagram = ByteBuffer.allocate(2 * SIZE);
        BitSet heard = new BitSet();
        int twice = 0;
        try (channel) {
            while (true) {
                Object unused = channel.receive(datagram.clear());
                int number = check(datagram.flip());
                if (number == END) {
                    break;
                }
                twice += heard.get(number) ? 1 : 0;
                heard.set(number);
            }
            System.out.println("heard " + heard.cardinality() + " first " + heard.nextSetBit(0) + " last "
                    + (heard.length() - 1) + " twice " + twice + " missed " + missed(heard));
        } catch (IOException | RuntimeException e) {
            System.out.println("heard nothing any more: " + e);
        }
    }

    private static String missed(BitSet heard) {
        heard.set(0, Math.max(0, heard.nextSetBit(0)));
        StringBuilder missed = new StringBuilder();
        for (int gap = heard.nextClearBit(0); gap < heard.length(); gap = heard.nextClearBit(gap)) {
            int end = heard.nextSetBit(gap);
            missed.append(gap).append('-').append(end - 1).append(',');
            gap = end;
        }
        return missed.toString();
    }

    private static int check(ByteBuffer datagram) {
        int number = datagram.getInt(0);
        for (int i = 0; i < SIZE / Integer.BYTES; i++) {
            if (datagram.getInt() != number * (i + 1)) {
                throw new IllegalStateException("the datagram " + number + " has other bytes at " + i);
            }
        }
        if (datagram.hasRemaining()) {
            throw new IllegalStateException("the datagram " + number + " is too long");
        }
        return number;
    }
}
