// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.NoDelegate;
import io.accel.core.jdk.PacketLengths;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The socket adaptor that {@link DatagramChannel#socket} of our channels returns: a {@link DatagramSocket} that is the channel, seen
 * through the older interface. As with the JDK's channels it is a {@link MulticastSocket}. The JDK's own adaptor of the kernel's
 * channel does everything that does not move datagrams. Safe for use by many threads.
 */
@SuppressWarnings({
    "UnsynchronizedOverridesSynchronized", // the channel does the locking, as under the JDK's adaptor
    "deprecation", // deprecated methods still work
    "removal"
})
final class AccelDatagramSocket extends MulticastSocket {
    /** Whether this JDK tells a receiver of its interrupt. Older ones say that the socket is closed. */
    private static final boolean TELLS_OF_INTERRUPTS = Runtime.version().feature() >= 19;

    private final AccelDatagramChannel channel;
    private final MulticastSocket kernel;

    /** The timeout of a receive in milliseconds; 0 means no limit. */
    private volatile int timeoutMillis;

    /**
     * The buffer that receives a datagram before the packet gets it, as other threads may change the packet until then; null while a
     * receiver has it.
     */
    private final AtomicReference<ByteBuffer> spare = new AtomicReference<>();

    /** Held while a datagram is sent with a time to live of its own, so that no other thread sees that one. */
    private final ReentrantLock timeToLive = new ReentrantLock();

    /** Creates an adaptor. The channel keeps it, since {@code socket()} must always return the same one. */
    AccelDatagramSocket(AccelDatagramChannel channel, MulticastSocket kernel) throws IOException {
        super(NoDelegate.address());
        if (NoDelegate.address() == null) {
            super.close(); // the constructor has made a socket that is of no use here
        }
        this.channel = channel;
        this.kernel = kernel;
    }

    // ---- moving datagrams

    @Override
    public void send(DatagramPacket packet) throws IOException {
        synchronized (packet) {
            if (channel.enterKernel()) {
                sendByKernel(packet);
                return;
            }
            InetSocketAddress target = targetOf(packet);
            if (!channel.isOpen()) {
                throw closed(new ClosedChannelException());
            }
            if (!channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            ByteBuffer src = ByteBuffer.wrap(packet.getData(), packet.getOffset(), packet.getLength());
            try {
                int unused = channel.send(src, target);
            } catch (AlreadyConnectedException e) {
                throw new IllegalArgumentException(
                        "Connected and packet address differ"); // without a cause, as in the JDK
            } catch (ClosedChannelException e) {
                throw closed(e);
            }
        }
    }

    private void sendByKernel(DatagramPacket packet) throws IOException {
        boolean done = false;
        try {
            kernel.send(packet);
            done = true;
        } finally {
            channel.leaveKernel(done ? packet.getAddress() : null, done ? packet.getPort() : 0, false);
        }
    }

    private void receiveByKernel(DatagramPacket packet) throws IOException {
        boolean done = false;
        try {
            kernel.receive(packet);
            done = true;
        } finally {
            channel.leaveKernel(done ? packet.getAddress() : null, done ? packet.getPort() : 0, true);
        }
    }

    private InetSocketAddress targetOf(DatagramPacket packet) throws IOException {
        if (packet.getAddress() != null) {
            return new InetSocketAddress(packet.getAddress(), packet.getPort());
        }
        if (kernel.getRemoteSocketAddress() instanceof InetSocketAddress connected) {
            packet.setSocketAddress(connected);
            return connected;
        }
        if (!channel.isOpen() || !channel.isBlocking()) {
            kernel.send(
                    packet); // so is the JDK's socket, which looks at that before the address, or behind it, by version
        }
        throw new IllegalArgumentException("Address not set");
    }

    @Override
    public void receive(DatagramPacket packet) throws IOException {
        if (channel.enterKernel()) {
            receiveByKernel(packet);
            return;
        }
        int capacity;
        synchronized (packet) {
            capacity = PacketLengths.capacity(packet);
        }
        if (!channel.isOpen()) {
            throw closed(new ClosedChannelException());
        }
        ByteBuffer dst = buffer(capacity);
        try {
            SocketAddress from;
            try {
                int limit = timeoutMillis;
                from = channel.receiveBlocking(dst, limit == 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(limit));
            } catch (ClosedChannelException e) {
                throw TELLS_OF_INTERRUPTS && e instanceof ClosedByInterruptException ? e : closed(e);
            }
            dst.flip();
            synchronized (packet) {
                int length = Math.min(dst.limit(), PacketLengths.capacity(packet));
                dst.get(packet.getData(), packet.getOffset(), length);
                PacketLengths.received(packet, length);
                packet.setSocketAddress(from);
            }
        } finally {
            spare.set(dst);
        }
    }

    /** Returns a buffer for so many bytes: the last receiver's, if it is free and large enough, or a new one. */
    private ByteBuffer buffer(int capacity) {
        ByteBuffer kept = spare.getAndSet(null);
        return kept != null && kept.capacity() >= capacity
                ? kept.clear().limit(capacity)
                : ByteBuffer.allocate(capacity);
    }

    private static SocketException closed(ClosedChannelException e) {
        SocketException closed = new SocketException("Socket closed");
        closed.initCause(e);
        return closed;
    }

    // ---- changes that the channel must know of

    @Override
    public void bind(SocketAddress address) throws SocketException {
        try {
            channel.bind(address != null ? requireInet(address) : new InetSocketAddress(0));
        } catch (UnsupportedAddressTypeException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.translateToSocketException(e);
        }
    }

    @Override
    public void connect(InetAddress address, int port) {
        if (address == null) {
            throw new IllegalArgumentException("Address can't be null");
        }
        try {
            connect(new InetSocketAddress(address, port));
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void connect(SocketAddress address) throws SocketException {
        if (address == null) {
            throw new IllegalArgumentException("Address can't be null");
        }
        requireInet(address);
        try {
            if (((InetSocketAddress) address).isUnresolved()) {
                throw new UnresolvedAddressException();
            }
            channel.connectAnew(address);
        } catch (ClosedChannelException e) {
            return; // the JDK's adaptor does not report it
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.translateToSocketException(e);
        }
    }

    private static SocketAddress requireInet(SocketAddress address) {
        if (address instanceof InetSocketAddress) {
            return address;
        }
        throw new UnsupportedAddressTypeException();
    }

    @Override
    public void disconnect() {
        try {
            channel.disconnect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public DatagramChannel getChannel() {
        return channel;
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        kernel.setSoTimeout(timeout); // this checks the value
        timeoutMillis = timeout;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return kernel.getSoTimeout();
    }

    // ---- the kernel's

    @Override
    public boolean isBound() {
        return kernel.isBound();
    }

    @Override
    public boolean isConnected() {
        return kernel.isConnected();
    }

    @Override
    public InetAddress getInetAddress() {
        return kernel.getInetAddress();
    }

    @Override
    public int getPort() {
        return kernel.getPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return kernel.getRemoteSocketAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return kernel.getLocalSocketAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return kernel.getLocalAddress();
    }

    @Override
    public int getLocalPort() {
        return kernel.getLocalPort();
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        kernel.setSendBufferSize(size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return kernel.getSendBufferSize();
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        kernel.setReceiveBufferSize(size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return kernel.getReceiveBufferSize();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        kernel.setReuseAddress(on);
        channel.optionSet(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return kernel.getReuseAddress();
    }

    @Override
    public void setBroadcast(boolean on) throws SocketException {
        kernel.setBroadcast(on);
    }

    @Override
    public boolean getBroadcast() throws SocketException {
        return kernel.getBroadcast();
    }

    @Override
    public void setTrafficClass(int tc) throws SocketException {
        kernel.setTrafficClass(tc);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return kernel.getTrafficClass();
    }

    @Override
    public <T> DatagramSocket setOption(SocketOption<T> name, T value) throws IOException {
        kernel.setOption(name, value);
        channel.optionSet(name);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return kernel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return kernel.supportedOptions();
    }

    // ---- groups: the kernel's

    @Override
    public void joinGroup(SocketAddress group, NetworkInterface networkInterface) throws IOException {
        if (group instanceof InetSocketAddress address) {
            channel.groups().joining(address.getAddress(), networkInterface);
        }
        kernel.joinGroup(group, networkInterface);
        channel.groups().joined(addressOf(group), networkInterface, null);
    }

    @Override
    public void leaveGroup(SocketAddress group, NetworkInterface networkInterface) throws IOException {
        kernel.leaveGroup(group, networkInterface);
        channel.groups().left(addressOf(group), networkInterface, null);
    }

    private static InetAddress addressOf(SocketAddress group) {
        return ((InetSocketAddress) group).getAddress(); // the kernel's socket has checked that
    }

    @Override
    public void joinGroup(InetAddress group) throws IOException {
        channel.groups().joining(group, null);
        kernel.joinGroup(group);
        channel.groups().joined(group, null, null);
    }

    @Override
    public void leaveGroup(InetAddress group) throws IOException {
        kernel.leaveGroup(group);
        channel.groups().left(group, null, null);
    }

    @Override
    public void setTTL(byte ttl) throws IOException {
        setTimeToLive(Byte.toUnsignedInt(ttl));
    }

    @Override
    public byte getTTL() throws IOException {
        return (byte) getTimeToLive();
    }

    @Override
    public void setTimeToLive(int ttl) throws IOException {
        timeToLive.lock();
        try {
            kernel.setTimeToLive(ttl);
            channel.optionSet(StandardSocketOptions.IP_MULTICAST_TTL);
        } finally {
            timeToLive.unlock();
        }
    }

    @Override
    public int getTimeToLive() throws IOException {
        timeToLive.lock();
        try {
            return kernel.getTimeToLive();
        } finally {
            timeToLive.unlock();
        }
    }

    @Override
    public void setInterface(InetAddress address) throws SocketException {
        kernel.setInterface(address);
        channel.optionSet(StandardSocketOptions.IP_MULTICAST_IF);
    }

    @Override
    public InetAddress getInterface() throws SocketException {
        return kernel.getInterface();
    }

    @Override
    public void setNetworkInterface(NetworkInterface networkInterface) throws SocketException {
        kernel.setNetworkInterface(networkInterface);
        channel.optionSet(StandardSocketOptions.IP_MULTICAST_IF);
    }

    @Override
    public NetworkInterface getNetworkInterface() throws SocketException {
        return kernel.getNetworkInterface();
    }

    @Override
    public void setLoopbackMode(boolean disable) throws SocketException {
        kernel.setLoopbackMode(disable);
        channel.optionSet(StandardSocketOptions.IP_MULTICAST_LOOP);
    }

    @Override
    public boolean getLoopbackMode() throws SocketException {
        return kernel.getLoopbackMode();
    }

    /** Sends as {@link #send(DatagramPacket)} does, with the option set meanwhile, as in the JDK. */
    @Override
    public String toString() {
        return kernel.getClass().getName()
                + '@'
                + Integer.toHexString(hashCode()); // as of any object of the JDK's class
    }

    @Override
    public void send(DatagramPacket packet, byte ttl) throws IOException {
        timeToLive.lock();
        try {
            int usual = getTimeToLive();
            try {
                setTTL(ttl);
                send(packet);
            } finally {
                setTimeToLive(usual);
            }
        } finally {
            timeToLive.unlock();
        }
    }
}
