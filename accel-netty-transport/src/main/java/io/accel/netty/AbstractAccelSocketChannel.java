// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.PathInfo;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.Relief;
import io.accel.core.socket.StreamSocket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.internal.StringUtil;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** A stream connection of the kernel's, of either kind of addresses, whose bytes may move to a faster path. */
abstract class AbstractAccelSocketChannel extends AbstractAccelDuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    final StreamSocket socket;
    /** The JDK's channel. */
    final java.nio.channels.SocketChannel kernel;

    /** The channel of the program's own that this has taken over; null if there is none. */
    private final java.nio.channels.SocketChannel given;

    private final Runnable flushAgain = this::flushAgain;

    /** The kernel's path; set when the connection is established, and never taken back. */
    private volatile KernelIo kernelIo;
    /** The I/O over the link in use, made when the first byte goes over it; event loop only. */
    private LinkIo linkIo;

    private volatile SocketAddress local;
    private volatile SocketAddress remote;
    private volatile boolean outputShut;
    private volatile boolean closed;

    /** A channel over one that was opened for it, or accepted. */
    AbstractAccelSocketChannel(Channel parent, StreamSocket socket, java.nio.channels.SocketChannel kernel) {
        super(parent);
        this.socket = socket;
        this.kernel = kernel;
        this.given = null;
    }

    /** A channel that takes a connection of the program's over. */
    AbstractAccelSocketChannel(GivenConnection connection) {
        super(null);
        this.socket = connection.stream();
        this.kernel = connection.kernel();
        this.given = connection.channel();
    }

    /** Makes the channel ready for use, once it is connected. */
    final void usable() throws IOException {
        local = kernel.getLocalAddress();
        remote = kernel.getRemoteAddress();
        kernelIo = new KernelIo(kernel, socket, options());
        socket.beforeLetGo(this::linkIsLetGo);
    }

    /** As {@link #usable()}, for a connection that was taken over, and is closed if that fails. */
    final void usableAsGiven() {
        try {
            usable();
        } catch (IOException e) {
            closeQuietly();
            throw new ChannelException("the connection was gone before it became a channel", e);
        }
    }

    /** The {@link #config()}, as this uses it. */
    abstract AbstractAccelStreamConfig options();

    /** Whether the program has asked that a close be a reset, by {@code SO_LINGER} 0. */
    private boolean aborts() {
        return linger() == 0;
    }

    /** The value of {@code SO_LINGER}. */
    final int linger() {
        try {
            return options().options.get(StandardSocketOptions.SO_LINGER);
        } catch (ChannelException e) {
            return -1; // the JDK has closed its channel, as after a failed connect
        }
    }

    /** Checks an address to connect to, or to be bound to. */
    void check(SocketAddress address) {}

    /**
     * Returns the path of the connection's bytes, and the reason why not a faster one; the kernel's path before it is connected.
     *
     * @return the path
     */
    public PathInfo path() {
        return socket.path();
    }

    @Override
    Pollable pollable() {
        return socket.readiness();
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return kernelIo != null && !closed;
    }

    // ---- addresses

    @Override
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    protected void doBind(SocketAddress address) throws IOException {
        check(address);
        kernel.bind(address);
        local = kernel.getLocalAddress();
    }

    // ---- connecting

    @Override
    boolean doConnect(SocketAddress to, SocketAddress from) throws IOException {
        if (from != null) {
            doBind(from);
        }
        boolean begun = false;
        try {
            check(to);
            boolean connected = kernel.connect(to);
            begun = true;
            if (connected) {
                established();
            } else {
                addOps(AccelIoOps.CONNECT);
            }
            return connected;
        } catch (IOException e) {
            throw begun ? e : Relief.forNext(e, Accel.accelerator().waits());
        } finally {
            if (!begun) {
                closeQuietly();
            }
        }
    }

    @Override
    boolean doFinishConnect() throws IOException {
        if (!kernel.finishConnect()) {
            return false;
        }
        established();
        return true;
    }

    private void established() throws IOException {
        socket.connected();
        usable();
    }

    // ---- reading and writing

    @Override
    ByteBuf doRead(RecvByteBufAllocator.ExtendedHandle handle) throws Exception {
        KernelIo first = connectedIo();
        if (socket.incoming().link() == null || first.hasReadAhead()) {
            ByteBuf buffer = first.read(handle);
            if (buffer != null || socket.incoming().link() == null) {
                return buffer;
            }
        }
        LinkStream link = socket.incoming().link();
        LinkIo second = link == null ? null : linkIo(link);
        ByteBuf buffer = second == null ? null : second.read(handle);
        // The peer may have gone back to the kernel's path, where the next bytes are then.
        return buffer == null && socket.incoming().link() == null ? first.read(handle) : buffer;
    }

    @Override
    boolean isAtEnd() {
        KernelIo connected = kernelIo;
        if (connected == null) {
            return false;
        }
        return socket.incoming().link() != null || connected.isAtEnd();
    }

    @Override
    boolean hasReadAhead() {
        KernelIo connected = kernelIo;
        return connected != null && connected.hasReadAhead();
    }

    @Override
    void readComplete() {
        if (linkIo != null && !closed) {
            linkIo.readComplete();
        }
    }

    /** Returns the I/O over a link; null if the link was given back. */
    private LinkIo linkIo(LinkStream link) {
        LinkIo known = linkIo;
        if (known != null && known.link() == link) {
            return known;
        }
        if (known != null) {
            known.leaving();
        }
        linkIo = null;
        if (link.hold()) {
            try {
                linkIo = new LinkIo(link, options());
                kernelIo.sharesOutput();
            } finally {
                link.release(); // the thread that lets go of the link asks first
            }
        }
        return linkIo;
    }

    /** Called by Accel's thread. Handlers may keep the slices of the link's memory that they have as long as they want. */
    private void linkIsLetGo(LinkStream link) {
        if (!isRegistered() || !link.hold()) {
            return; // the deregistration has left the link
        }
        boolean isPassedOn = false;
        try {
            eventLoop().execute(() -> leave(link));
            isPassedOn = true;
        } catch (RejectedExecutionException e) {
            LOG.debug("the event loop of {} is over, and so are its handlers", this, e);
            isPassedOn = true;
            leave(link);
        } finally {
            if (!isPassedOn) {
                link.release();
            }
        }
    }

    /** Leaves a link that is let go, and gives the hold on it back. */
    private void leave(LinkStream link) {
        try {
            LinkIo known = linkIo;
            if (known != null && known.link() == link) {
                known.leaving();
                linkIo = null;
            }
        } finally {
            link.release();
        }
    }

    /** Returns the path for the messages flushed now. */
    private StreamIo output(ChannelOutboundBuffer in) throws Exception {
        KernelIo first = connectedIo();
        LinkStream link = socket.outgoing().link();
        if (link == null && !in.isEmpty()) {
            link = socket.outgoing().enter(hasBytes(in.current()));
            if (link == null) {
                socket.outgoing().leave();
            }
        } else if (link != null && link.writer().isOverdue()) {
            link = goBack(link) ? null : link;
        }
        LinkIo second = link == null ? null : linkIo(link);
        return second == null ? first : second;
    }

    /** Whether the first message has bytes to write: an empty one, as TLS and HTTP flush some, does not bring the direction to a link. */
    private static boolean hasBytes(Object message) {
        return message instanceof ByteBuf buffer
                ? buffer.isReadable()
                : message instanceof FileRegion region && region.transferred() < region.count();
    }

    /** Goes back to the kernel's path if no message that is sent in place is still in the outbound buffer. */
    private boolean goBack(LinkStream link) {
        LinkIo used = linkIo(link);
        if (used != null && used.isUnderWay()) {
            link.writer().postpone();
            return false;
        }
        link.writer().lock();
        try {
            boolean isBack = socket.outgoing().goBack(link);
            if (isBack) {
                socket.outgoing().leave();
            }
            return isBack;
        } finally {
            link.writer().unlock();
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        StreamIo out = output(in);
        int spins = options().getWriteSpinCount();
        do {
            int used = in.isEmpty() ? StreamIo.ALL_UNDER_WAY : out.write(in);
            if (used == StreamIo.ALL_UNDER_WAY) {
                removeOps(AccelIoOps.WRITE);
                awaitSent(out);
                return;
            }
            spins -= used;
            // The loop goes on although all is written: listeners may have flushed more.
        } while (spins > 0);
        awaitSent(out);
        if (spins < 0) {
            addOps(AccelIoOps.WRITE);
        } else {
            // There was still room; the loop's other tasks have their turn, then the flush goes on.
            removeOps(AccelIoOps.WRITE);
            eventLoop().execute(flushAgain);
        }
    }

    private void awaitSent(StreamIo out) {
        if (out.isUnderWay()) {
            addOps(AccelIoOps.SENT);
        } else {
            removeOps(AccelIoOps.SENT);
        }
    }

    private void flushAgain() {
        ((StreamUnsafe) unsafe()).flush0();
    }

    @Override
    protected Object filterOutboundMessage(Object msg) {
        if (msg instanceof ByteBuf buffer) {
            boolean isKernels = socket.outgoing().link() == null;
            if (isKernels) {
                RingByteBuf.settle(buffer); // the kernel's path keeps a view of a message that it cannot write at once
            }
            return kernelIo == null || !isKernels || buffer.isDirect() ? buffer : toDirect(buffer);
        }
        if (msg instanceof FileRegion) {
            return msg;
        }
        throw new UnsupportedOperationException(
                "unsupported message type: " + StringUtil.simpleClassName(msg) + " (expected: ByteBuf, FileRegion)");
    }

    /** Copies a message for the kernel, which would copy it at every attempt, where a direct buffer is cheap to have. */
    private ByteBuf toDirect(ByteBuf buffer) {
        ByteBufAllocator allocator = alloc();
        if (!allocator.isDirectBufferPooled() || !buffer.isReadable()) {
            return buffer;
        }
        ByteBuf direct = allocator.directBuffer(buffer.readableBytes());
        direct.writeBytes(buffer, buffer.readerIndex(), buffer.readableBytes());
        buffer.release();
        return direct;
    }

    private KernelIo connectedIo() throws ClosedChannelException {
        KernelIo connected = kernelIo;
        if (connected == null) {
            if (closed) {
                throw new ClosedChannelException();
            }
            throw new NotYetConnectedException();
        }
        return connected;
    }

    // ---- shutting down and closing

    @Override
    boolean isAllowHalfClosure() {
        return options().allowsHalfClosure();
    }

    @Override
    boolean isInputShut() {
        return kernelIo == null || closed || socket.isInputShut();
    }

    @Override
    boolean isOutputShut() {
        return kernelIo == null || closed || outputShut;
    }

    @Override
    void doShutdownInput() throws IOException {
        KernelIo unused = connectedIo();
        kernel.shutdownInput();
        socket.shutdownInput();
    }

    @Override
    protected void doShutdownOutput() throws IOException {
        KernelIo unused = connectedIo();
        socket.shutdownOutput();
        outputShut = true;
    }

    @Override
    protected void doDisconnect() throws Exception {
        doClose();
    }

    @Override
    protected void doDeregister() throws Exception {
        super.doDeregister();
        if (linkIo != null && !closed) {
            linkIo.leaving(); // another thread may be the next one to touch the ring
        }
    }

    @Override
    Executor closeExecutor() {
        return null;
    }

    @Override
    protected void doClose() throws Exception {
        if (closed) {
            return;
        }
        boolean aborts = true; // unless it is known to be otherwise
        try {
            super.doClose();
            aborts = aborts();
        } finally { // whatever fails there, nobody closes a second time
            closed = true;
            try {
                if (linkIo != null) {
                    linkIo.closing(isRegistered() && eventLoop().inEventLoop() ? eventLoop() : null);
                }
            } finally {
                closeBoth(aborts);
            }
        }
    }

    private void closeBoth(boolean aborts) throws IOException {
        try {
            // As with registered channels of the JDK's, the peer sees an orderly end even if not all bytes were read.
            socket.close(() -> aborts, true);
        } finally { // whatever fails there, the peer hears of the end
            try {
                kernel.close();
                socket.anchorClosed(aborts);
            } finally {
                if (given != null) {
                    given.close();
                }
            }
        }
    }

    private void closeQuietly() {
        try {
            doClose();
        } catch (Exception e) {
            LOG.debug("closing {} after a failed connect failed", this, e);
        }
    }
}
