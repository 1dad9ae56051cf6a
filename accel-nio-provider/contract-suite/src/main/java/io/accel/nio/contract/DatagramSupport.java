// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Assumptions;

/** Base of the classes about datagrams: channels on this host, and datagrams that are sent and received whole. */
public abstract class DatagramSupport extends ContractSupport {
    /** The most bytes that a datagram over IPv4 carries: 65,535 less the headers of IP and UDP. */
    protected static final int LARGEST = 65_507;

    /** How many small datagrams a receiver certainly holds that has not read any: a tenth of the number that a kernel holds by default. */
    protected static final int FEW = 25;

    private static final long QUIET_MILLIS = 40;
    private static final int WARMING_ROUNDS = 100;
    private static final long WARMING_PAUSE_MILLIS = 5;
    /** A crowded guest takes long for the first handshake over its device. */
    private static final long WARMING_NANOS = 10_000_000_000L;

    /** A datagram, and the sender's address as the receiver saw it. */
    public record Datagram(InetSocketAddress source, ByteBuffer bytes) {
        public String text() {
            return StandardCharsets.ISO_8859_1.decode(bytes.duplicate()).toString();
        }
    }

    /** Two channels that have exchanged datagrams. */
    public record Ends(DatagramChannel left, DatagramChannel right) {
        public Ends nonBlocking() throws IOException {
            left.configureBlocking(false);
            right.configureBlocking(false);
            return this;
        }
    }

    protected final DatagramChannel datagrams() throws IOException {
        return closing(DatagramChannel.open());
    }

    /** A channel bound to {@link #host()}, in blocking mode. */
    protected final DatagramChannel bound() throws IOException {
        return datagrams().bind(anyPort());
    }

    /**
     * Asserts that an address can be bound again when a channel that had it was closed under a receiver, which {@code receiving}
     * starts.
     */
    protected final void assertPortIsFreeAfterClose(Function<Callable<SocketAddress>, Task<SocketAddress>> receiving)
            throws Exception {
        DatagramChannel channel = ends().right();
        InetSocketAddress address = addressOf(channel);
        for (int round = 0; round < 50; round++) {
            DatagramChannel waitedFor = channel;
            Task<SocketAddress> receiver = receiving.apply(() -> waitedFor.receive(ByteBuffer.allocate(1)));
            pause(round % 5); // until it sleeps, or before
            channel.close();
            channel = boundAfterClose(address);
            assertThat(receiver.failure()).isInstanceOf(ClosedChannelException.class);
        }
    }

    /**
     * A channel bound to the address of one that was closed under its receivers. Receivers of the JDK's own provider wait in the kernel,
     * and keep the address a moment longer, until they have heard of the close.
     */
    private DatagramChannel boundAfterClose(InetSocketAddress address) throws IOException {
        if (Path.current() != Path.JDK) {
            return datagrams().bind(address);
        }
        DatagramChannel channel = datagrams();
        eventually().ignoreException(BindException.class).until(() -> channel.bind(address), bound -> true);
        return channel;
    }

    /** Two bound channels, in blocking mode, on the path that this run is about. */
    protected final Ends ends() throws IOException {
        Ends ends = new Ends(bound(), bound());
        warm(ends.left(), ends.right());
        return ends;
    }

    /** Two channels that are connected to each other, in blocking mode, on the path that this run is about. */
    protected final Ends connectedEnds() throws IOException {
        Ends ends = new Ends(bound(), bound());
        ends.left().connect(addressOf(ends.right()));
        ends.right().connect(addressOf(ends.left()));
        warm(ends.left(), ends.right());
        return ends;
    }

    /** The port of a bound channel. */
    protected static int portOf(DatagramChannel channel) throws IOException {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    /** The address to send to for a bound channel; {@link #host()}, if it is bound to all addresses. */
    protected static InetSocketAddress addressOf(DatagramChannel channel) throws IOException {
        InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
        return local.getAddress().isAnyLocalAddress() ? new InetSocketAddress(host(), local.getPort()) : local;
    }

    /**
     * Exchanges datagrams until the kernel carries them no longer, where this run is about another path: that path may be looked for
     * only when the first datagram has been sent, which itself goes through the kernel. It gives up after a while if the
     * receiver is not at {@link #host()}, since the other path may not lead elsewhere. Both keep their blocking mode, with
     * nothing to receive.
     *
     * @param sender not registered with a selector, and connected to the receiver or to none
     * @param receiver bound, not registered with a selector, and connected to the sender or to none
     */
    protected static void warm(DatagramChannel sender, DatagramChannel receiver) throws IOException {
        boolean senderBlocks = sender.isBlocking();
        boolean receiverBlocks = receiver.isBlocking();
        sender.configureBlocking(false);
        receiver.configureBlocking(false);
        int rounds = Path.current().isKernels() ? 1 : isSeen() ? Integer.MAX_VALUE : WARMING_ROUNDS;
        long patience = System.nanoTime() + WARMING_NANOS;
        for (int round = 1; kernelCarried(sender, receiver, round) && round < rounds; round++) {
            if (System.nanoTime() > patience) {
                assertThat(addressOf(receiver).getAddress())
                        .as(
                                "address to which the kernel still carried what %s sent %s, round %d",
                                sender, receiver, round)
                        .isNotEqualTo(host());
                break;
            }
            pause(WARMING_PAUSE_MILLIS);
        }
        sender.configureBlocking(senderBlocks);
        receiver.configureBlocking(receiverBlocks);
    }

    /** Whether this run is about another path than the kernel's, and this system shows which path a datagram takes. */
    private static boolean isSeen() {
        return !Path.current().isKernels() && KernelDatagrams.areKnown();
    }

    /** Exchanges two datagrams; whether one of them was seen in the kernel, or nobody can tell. */
    private static boolean kernelCarried(DatagramChannel sender, DatagramChannel receiver, int round)
            throws IOException {
        InetSocketAddress target =
                sender.isConnected() ? (InetSocketAddress) sender.getRemoteAddress() : addressOf(receiver);
        send(sender, "there " + round, target);
        boolean thereByKernel = !isSeen() || KernelDatagrams.carryNextOf(receiver, LIMIT_MILLIS);
        Datagram there = receive(receiver);
        assertThat(there.text()).isEqualTo("there " + round);
        send(receiver, "back " + round, there.source());
        boolean backByKernel = !isSeen() || KernelDatagrams.carryNextOf(sender, LIMIT_MILLIS);
        assertThat(receiveText(sender)).isEqualTo("back " + round);
        return thereByKernel || backByKernel;
    }

    protected static void send(DatagramChannel channel, String text, InetSocketAddress target) throws IOException {
        send(channel, text.getBytes(StandardCharsets.ISO_8859_1), target);
    }

    protected static void send(DatagramChannel channel, byte[] bytes, InetSocketAddress target) throws IOException {
        assertThat(channel.send(ByteBuffer.wrap(bytes), target)).isEqualTo(bytes.length);
    }

    /** The next datagram, whole. A channel in blocking mode waits; one in non-blocking mode is polled. */
    protected static Datagram receive(DatagramChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        long deadline = System.nanoTime() + LIMIT_MILLIS * 1_000_000;
        InetSocketAddress source = (InetSocketAddress) channel.receive(buffer);
        while (source == null) {
            assertThat(System.nanoTime())
                    .as("time when nothing had come to %s", channel)
                    .isLessThan(deadline);
            pause(1);
            source = (InetSocketAddress) channel.receive(buffer);
        }
        return new Datagram(source, buffer.flip());
    }

    protected static String receiveText(DatagramChannel channel) throws IOException {
        return receive(channel).text();
    }

    /**
     * Returns when the kernel has delivered the datagrams that were sent, or dropped them. A kernel whose processors are busy
     * looks for the receiver after the sending call has returned, but in order: so this sends another datagram, to a receiver of
     * its own, and waits for it.
     *
     * @param sender not connected; the thread that calls this has sent with it
     */
    protected final void letArrive(DatagramChannel sender) throws IOException {
        DatagramChannel other = bound();
        send(sender, "behind", addressOf(other));
        assertThat(receiveText(other)).isEqualTo("behind");
    }

    protected static DatagramPacket packet(String text, SocketAddress target) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return new DatagramPacket(bytes, bytes.length, target);
    }

    /** The next datagram, or as much of it as fits the capacity. */
    protected static DatagramPacket receivePacket(DatagramSocket socket, int capacity) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[capacity], capacity);
        socket.receive(packet);
        return packet;
    }

    protected static String text(DatagramPacket packet) {
        return new String(packet.getData(), packet.getOffset(), packet.getLength(), StandardCharsets.ISO_8859_1);
    }

    /** Asserts that there is nothing to receive, now and a moment later. The channel is left in the mode that it was in. */
    protected static void assertNothingArrives(DatagramChannel channel) throws IOException {
        boolean blocking = channel.isBlocking();
        if (blocking) {
            channel.configureBlocking(false);
        }
        pause(QUIET_MILLIS);
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        assertThat(channel.receive(buffer)).as("source of a datagram").isNull();
        assertThat(buffer.position()).isZero();
        if (blocking) {
            channel.configureBlocking(true);
        }
    }

    /** The interface of this host's loopback addresses. */
    protected static NetworkInterface loopback() throws IOException {
        return NetworkInterface.networkInterfaces()
                .filter(candidate -> {
                    try {
                        return candidate.isLoopback();
                    } catch (IOException e) {
                        return false;
                    }
                })
                .findFirst()
                .orElseThrow(() -> new IOException("this host has no loopback interface"));
    }

    /** Aborts the test where this host has no IPv6. */
    protected final void assumeIpv6() {
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET6)) {
            channel.bind(new InetSocketAddress(ip("::1"), 0));
        } catch (UnsupportedOperationException | IOException e) {
            Assumptions.abort("this host has no IPv6: " + e);
        }
    }

    /** The address of a literal. */
    protected static InetAddress ip(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(literal, e);
        }
    }

    protected static void pause(long millis) {
        if (millis > 0) {
            LockSupport.parkNanos(millis * 1_000_000);
        }
    }
}
