// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.PathInfo;
import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.DatagramSocket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.UncheckedBooleanSupplier;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetConnectedException;

/**
 * A datagram channel whose datagrams take an accelerated path where the other end can be reached by one, and the kernel's path
 * everywhere else. The kernel's socket really is bound: the channel hears and answers programs without Accel, and multicast and
 * broadcast work as usual. The first datagrams to a new destination go through the kernel while Accel looks for a path.
 *
 * <p>Writes {@link DatagramPacket}s, other {@link AddressedEnvelope}s of a {@link ByteBuf} with an {@link InetSocketAddress}, and,
 * when connected, plain {@link ByteBuf}s; reads {@code DatagramPacket}s. A write is done when the datagram is on its way. A datagram
 * for which the receiver has no room is lost, as with UDP. An empty packet is sent when it has a recipient and the channel is not
 * connected; otherwise it is dropped, as the JDK does.
 */
public final class AccelDatagramChannel extends AbstractAccelDatagramChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(true, 16);

    private final DatagramChannel kernel;
    private final DatagramSocket socket;
    private final AccelDatagramChannelConfig config;

    // Written by the event loop.
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress connected;
    private volatile boolean closed;

    /** Opens a channel for IPv6 and IPv4, as the JDK does. */
    public AccelDatagramChannel() {
        this((SocketProtocolFamily) null);
    }

    /**
     * Opens a channel of one protocol family.
     *
     * @param family the family, or null for the JDK's default
     * @throws ChannelException if the kernel's socket cannot be opened
     */
    public AccelDatagramChannel(SocketProtocolFamily family) {
        this(open(family));
    }

    private AccelDatagramChannel(DatagramChannel kernel) {
        this(kernel, over(kernel));
    }

    private AccelDatagramChannel(DatagramChannel kernel, DatagramSocket socket) {
        super(new MulticastMemberships(kernel, socket.groups()));
        this.kernel = kernel;
        this.socket = socket;
        config = new AccelDatagramChannelConfig(this, kernel);
    }

    private static DatagramChannel open(SocketProtocolFamily family) {
        Accel.ensureAvailability();
        try {
            return KernelOpening.openOrRelieve(() -> family == null
                    ? JdkAccess.kernelProvider().openDatagramChannel()
                    : JdkAccess.kernelProvider().openDatagramChannel(family.toJdkFamily()));
        } catch (IOException e) {
            throw new ChannelException("cannot open a datagram socket", e);
        }
    }

    private static DatagramSocket over(DatagramChannel kernel) {
        try {
            return new DatagramSocket(Accel.accelerator(), kernel);
        } catch (IOException e) {
            throw new ChannelException("cannot use a datagram socket", e);
        }
    }

    /** Takes note that an option of the kernel's socket was set. */
    void optionSet(SocketOption<?> option) {
        socket.groups().optionSet(option);
    }

    @Override
    Pollable pollable() {
        return socket;
    }

    @Override
    public AccelDatagramChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    /**
     * Returns the path that datagrams to a destination take now, and the reason why not a faster one. Any thread.
     *
     * @param target the destination
     * @return the path
     */
    public PathInfo path(InetSocketAddress target) {
        return socket.path(target);
    }

    // ---- state and addresses

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return !closed && (local != null || (isRegistered() && config.isActiveOnRegistration()));
    }

    @Override
    public boolean isConnected() {
        return connected != null && !closed;
    }

    /** Returns the address that the socket is bound to; {@code connect} and {@code disconnect} change it, as in the kernel. */
    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return connected;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return connected;
    }

    private interface Change {
        void run() throws IOException;
    }

    /** Changes an address while no datagram is sent or received. */
    private void change(Change change) throws IOException {
        socket.lockRead();
        try {
            socket.lockWrite();
            try {
                change.run();
            } finally {
                socket.unlockWrite();
            }
        } finally {
            socket.unlockRead();
        }
    }

    @Override
    protected void doBind(SocketAddress address) throws Exception {
        bindKernel(address);
        activated();
    }

    private void bindKernel(SocketAddress address) throws IOException {
        change(() -> {
            kernel.bind(address);
            local = (InetSocketAddress) kernel.getLocalAddress();
            // The JDK tells a program with few rights another address than the one by which peers find the socket.
            socket.bound((InetSocketAddress) Privileged.call(kernel::getLocalAddress));
        });
    }

    private void peerChanged() throws IOException {
        InetSocketAddress peer = (InetSocketAddress) kernel.getRemoteAddress();
        connected = peer;
        local = (InetSocketAddress) kernel.getLocalAddress();
        socket.connected(peer);
    }

    @Override
    protected void doDisconnect() throws Exception {
        change(() -> {
            kernel.disconnect();
            peerChanged();
        });
    }

    @Override
    protected void doClose() throws Exception {
        closed = true;
        try {
            socket.close();
        } finally {
            kernel.close();
        }
    }

    // ---- writing

    @Override
    protected Object filterOutboundMessage(Object msg) {
        return OutboundDatagrams.filter(msg, alloc());
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        int left = maxMessagesPerWrite();
        socket.lockWrite();
        try {
            for (Object message = in.current(); message != null && left > 0; message = in.current()) {
                Exception failure = null;
                try {
                    if (!send(message)) {
                        break;
                    }
                } catch (IOException | RuntimeException e) {
                    failure = e; // of this datagram alone: the next may be for another peer
                }
                left--;
                if (failure == null) {
                    in.remove();
                } else {
                    in.remove(failure);
                }
            }
        } finally {
            socket.unlockWrite();
        }
        if (in.isEmpty()) {
            removeOps(AccelIoOps.WRITE);
        } else {
            addOps(AccelIoOps.WRITE);
        }
    }

    /** Sends one datagram; returns false if the kernel has no room now. */
    private boolean send(Object message) throws IOException {
        ByteBuf data = OutboundDatagrams.content(message);
        InetSocketAddress target = OutboundDatagrams.recipient(message);
        InetSocketAddress peer = connected;
        int length = data.readableBytes();
        if (length == 0 && (target == null || peer != null)) {
            return true;
        }
        if (target == null && peer == null) {
            throw new NotYetConnectedException();
        }
        if (target != null && peer != null && !peer.equals(target)) {
            throw new AlreadyConnectedException();
        }
        ByteBuffer bytes = data.internalNioBuffer(data.readerIndex(), length);
        for (int spins = config.getWriteSpinCount(); spins > 0; spins--) {
            int sent = socket.send(bytes, target == null ? peer : target);
            if (sent > 0 || length == 0) {
                if (local == null) {
                    local = (InetSocketAddress) kernel.getLocalAddress(); // the first send has bound the socket
                }
                return true;
            }
        }
        return false;
    }

    // ---- reading

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new DatagramUnsafe();
    }

    /** Receives one datagram; returns null if there is none. */
    private DatagramPacket receive(RecvByteBufAllocator.ExtendedHandle handle) throws IOException {
        ByteBuf buffer = handle.allocate(config.getAllocator());
        DatagramPacket packet = null;
        try {
            int room = buffer.writableBytes();
            handle.attemptedBytesRead(room);
            ByteBuffer bytes = buffer.internalNioBuffer(buffer.writerIndex(), room);
            int start = bytes.position();
            InetSocketAddress from = receive(bytes);
            if (from == null) {
                handle.lastBytesRead(-1);
                return null;
            }
            int length = bytes.position() - start;
            handle.lastBytesRead(Math.max(1, length)); // an empty datagram does not mean that there are no more
            handle.incMessagesRead(1);
            packet = new DatagramPacket(buffer.writerIndex(buffer.writerIndex() + length), local, from);
            return packet;
        } finally {
            if (packet == null) {
                buffer.release();
            }
        }
    }

    private InetSocketAddress receive(ByteBuffer dst) throws IOException {
        socket.lockRead();
        try {
            return socket.receive(dst);
        } finally {
            socket.unlockRead();
        }
    }

    private final class DatagramUnsafe extends AbstractAccelUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress from, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            boolean wasActive = isActive();
            try {
                if (from != null) {
                    bindKernel(from);
                }
                change(() -> {
                    kernel.connect(remote);
                    peerChanged();
                });
            } catch (IOException | RuntimeException e) {
                closeAfter(e);
                promise.tryFailure(annotateConnectException(e, remote));
                closeIfClosed();
                return;
            }
            activated();
            boolean active = isActive(); // a listener may close the channel, but channelActive is still due
            boolean told = promise.trySuccess();
            if (!wasActive && active) {
                pipeline().fireChannelActive();
            }
            if (!told) {
                close(voidPromise()); // cancelled
            }
        }

        private void closeAfter(Exception failure) {
            try {
                doClose();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }

        @Override
        void read() {
            ChannelPipeline pipeline = pipeline();
            RecvByteBufAllocator.ExtendedHandle handle = recvBufAllocHandle();
            handle.reset(config);
            Throwable failure = null;
            try {
                do {
                    DatagramPacket packet = receive(handle);
                    if (packet == null) {
                        break;
                    }
                    readPending = false;
                    pipeline.fireChannelRead(packet);
                    // A datagram shorter than the buffer says nothing about whether there are more.
                } while (isOpen() && handle.continueReading(UncheckedBooleanSupplier.TRUE_SUPPLIER));
            } catch (Throwable t) {
                failure = t;
            }
            try {
                handle.readComplete();
                pipeline.fireChannelReadComplete();
                if (failure != null) {
                    pipeline.fireExceptionCaught(failure);
                    // A peer's closed port or an unreachable network does not concern other peers.
                    if (isOpen() && !(failure instanceof SocketException)) {
                        close(voidPromise());
                    }
                }
            } finally {
                stopReadingUnlessWanted();
            }
        }

        @Override
        protected void flush0() {
            // While a flush waits for room, another attempt is of no use.
            if (!hasOps(AccelIoOps.WRITE)) {
                super.flush0();
            }
        }

        @Override
        void writeReady() {
            super.flush0();
        }
    }
}
