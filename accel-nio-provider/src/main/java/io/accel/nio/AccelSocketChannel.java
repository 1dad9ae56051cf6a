package io.accel.nio;

import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.BlockingWaits;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.PathInfo;
import io.accel.core.socket.StreamSocket;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A stream channel that takes an accelerated path if the peer can be reached by one, and otherwise is the JDK's own, which
 * decides everything about it: state, options, exceptions. Safe for use by many threads, as {@link SocketChannel} promises.
 */
public final class AccelSocketChannel extends SocketChannel implements SocketHooks {
    private static final Logger LOG = System.getLogger(AccelSocketChannel.class.getName());

    private final AccelSelectorProvider provider;
    private final StreamSocket stream;
    /** The JDK's channel: not yet or really connected, or lending its local address; null if accepted from a fabric. */
    private final SocketChannel kernel;
    /** The family that the program asked for, or null. */
    private final ProtocolFamily family;

    // Made once, so that the kernel's path allocates no more than the JDK's channel does.
    private final KernelCall kernelRead;
    private final KernelCall kernelWrite;

    private final ReentrantLock connectLock = new ReentrantLock();

    // Guarded by this.
    private Socket socket;
    /** Keeps the options of a connection without a kernel socket, as the kernel would. */
    private SocketChannel optionsKeeper;

    private InputStream kernelInput;

    private SocketAddress lastLocal;
    private SocketAddress lastRemote;
    private boolean optionsClosed;

    private volatile int linger = -1;
    private volatile boolean urgentInline;

    /** What was set on the listener that accepted this. */
    private final Map<SocketOption<?>, Object> inherited;

    /** A channel that is not connected. */
    AccelSocketChannel(AccelSelectorProvider provider, StreamSocket stream, ProtocolFamily family) {
        this(provider, stream, family, Map.of());
    }

    /** A channel of a listener's family, with the options that were set on that. */
    AccelSocketChannel(
            AccelSelectorProvider provider,
            StreamSocket stream,
            ProtocolFamily family,
            Map<SocketOption<?>, Object> inherited) {
        super(provider);
        this.inherited = inherited;
        this.provider = provider;
        this.stream = stream;
        this.kernel = stream.kernel();
        this.family = family;
        this.kernelRead = kernel == null ? null : kernel::read;
        this.kernelWrite = kernel == null ? null : kernel::write;
    }

    Pollable pollable() {
        return stream;
    }

    /**
     * Which way the connection's bytes take, and why not a faster one. Before it is connected, the kernel's.
     *
     * @return the path
     */
    public PathInfo path() {
        return stream.path();
    }

    /** Whether a registration's key was cancelled. */
    static boolean isOver(Object attachment) {
        return attachment instanceof SelectionKey key && !key.isValid();
    }

    /** The accelerated connection; null if this is the kernel's, or not connected. */
    private LinkStream link() {
        return stream.isConnecting() ? null : stream.stream();
    }

    // ---- reading

    @Override
    public int read(ByteBuffer dst) throws IOException {
        LinkStream link = stream.stream();
        if (link == null || stream.isConnecting()) {
            Objects.requireNonNull(dst, "dst");
            return (int) onKernel(kernelRead, dst);
        }
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        link.lockRead();
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits && Thread.currentThread().isInterrupted()) {
                closeByInterrupt();
            }
            int n = link.read(dst);
            if (n != 0 || !waits || !dst.hasRemaining()) {
                return n;
            }
            return (int) readWaiting(link, READ_ONE, dst, null, 0, 0, -1);
        } finally {
            link.unlockRead();
        }
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        LinkStream link = link();
        if (link == null) {
            return onKernel(b -> kernel.read(dsts, offset, length), null);
        }
        boolean room = false;
        for (int i = offset; i < offset + length; i++) {
            if (dsts[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
            room |= dsts[i].hasRemaining();
        }
        link.lockRead();
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits && Thread.currentThread().isInterrupted()) {
                closeByInterrupt();
            }
            long n = link.read(dsts, offset, length);
            if (n != 0 || !waits || !room) {
                return n;
            }
            return readWaiting(link, READ_MANY, null, dsts, offset, length, -1);
        } finally {
            link.unlockRead();
        }
    }

    /** One try at a transfer of one buffer or of several. Not capturing, so that waiting makes no garbage. */
    private interface Attempt {
        long run(LinkStream link, ByteBuffer one, ByteBuffer[] many, int offset, int length) throws IOException;
    }

    private static final Attempt READ_ONE = (link, one, many, offset, length) -> link.read(one);
    private static final Attempt READ_MANY = (link, one, many, offset, length) -> link.read(many, offset, length);
    private static final Attempt WRITE_ONE = (link, one, many, offset, length) -> link.write(one);
    private static final Attempt WRITE_MANY = (link, one, many, offset, length) -> link.write(many, offset, length);

    /** Tries until something was read or the end; in the reading half. */
    private long readWaiting(
            LinkStream link,
            Attempt attempt,
            ByteBuffer one,
            ByteBuffer[] many,
            int offset,
            int length,
            long timeoutNanos)
            throws IOException {
        BlockingWaits waits = provider.accelerator().waits();
        if (waits.glance(stream, SelectionKey.OP_READ)
                && !Thread.currentThread().isInterrupted()
                && !link.isClosed()) {
            long soon = attempt.run(link, one, many, offset, length);
            if (soon != 0) {
                return soon;
            }
        }
        long start = System.nanoTime();
        long n = 0;
        boolean completed = false;
        try {
            begin();
            while (isOpen() && !link.isClosed()) {
                n = attempt.run(link, one, many, offset, length);
                if (n != 0) {
                    break;
                }
                long left = timeoutNanos < 0 ? -1 : timeoutNanos - (System.nanoTime() - start);
                if (timeoutNanos >= 0 && left <= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
                waits.await(stream, SelectionKey.OP_READ, left);
                begin(); // a selector within the wait has taken the interrupts for itself
            }
            completed = n != 0;
        } finally {
            end(completed);
        }
        return n;
    }

    // ---- writing

    @Override
    public int write(ByteBuffer src) throws IOException {
        LinkStream link = stream.stream();
        if (link == null || stream.isConnecting()) {
            Objects.requireNonNull(src, "src");
            return (int) onKernel(kernelWrite, src);
        }
        link.lockWrite();
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits && Thread.currentThread().isInterrupted()) {
                closeByInterrupt();
            }
            int n = link.write(src);
            if (!waits || !src.hasRemaining()) {
                return n;
            }
            return (int) writeWaiting(link, WRITE_ONE, src, null, 0, 0, n);
        } finally {
            link.unlockWrite();
        }
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        LinkStream link = link();
        if (link == null) {
            return onKernel(b -> kernel.write(srcs, offset, length), null);
        }
        for (int i = offset; i < offset + length; i++) {
            Objects.requireNonNull(srcs[i], "buffer");
        }
        link.lockWrite();
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits && Thread.currentThread().isInterrupted()) {
                closeByInterrupt();
            }
            long n = link.write(srcs, offset, length);
            if (!waits || !hasRemaining(srcs, offset, length)) {
                return n;
            }
            return writeWaiting(link, WRITE_MANY, null, srcs, offset, length, n);
        } finally {
            link.unlockWrite();
        }
    }

    private static boolean hasRemaining(ByteBuffer[] buffers, int offset, int length) {
        // From the end: what was not written is there.
        for (int i = offset + length - 1; i >= offset; i--) {
            if (buffers[i].hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    /** Tries until everything was written; in the writing half. */
    private long writeWaiting(
            LinkStream link, Attempt attempt, ByteBuffer one, ByteBuffer[] many, int offset, int length, long written)
            throws IOException {
        BlockingWaits waits = provider.accelerator().waits();
        long total = written;
        boolean completed = false;
        try {
            begin();
            while (isOpen() && !link.isClosed()) {
                total += attempt.run(link, one, many, offset, length);
                completed = one != null ? !one.hasRemaining() : !hasRemaining(many, offset, length);
                if (completed) {
                    break;
                }
                waits.await(stream, SelectionKey.OP_WRITE, -1);
                begin(); // as in readWaiting
            }
        } finally {
            end(completed);
        }
        return total;
    }

    // ---- connecting

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        return connect(checkRemote(remote), 0);
    }

    @Override
    public void connectBlocking(SocketAddress remote, long timeoutNanos) throws IOException {
        InetSocketAddress address = checkRemote(remote);
        if (!isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        connect(address, timeoutNanos);
    }

    private boolean connect(InetSocketAddress remote, long timeoutNanos) throws IOException {
        long start = System.nanoTime();
        connectLock.lock();
        try {
            ensureOpen();
            if (stream.isConnecting()) {
                throw new ConnectionPendingException();
            }
            if (stream.stream() != null) {
                throw new AlreadyConnectedException();
            }
            if (kernel.isConnected() || kernel.isConnectionPending()) {
                return kernel.connect(remote); // which throws what it has to
            }
            if (isBlocking() && Thread.currentThread().isInterrupted()) {
                closeByInterrupt();
            }
            synchronized (this) {
                lastRemote = remote;
            }
            if (stream.connect(remote)) {
                if (!isBlocking()) {
                    return false;
                }
                if (connectWaiting(start, timeoutNanos)) {
                    announceUrgentInline();
                    return true;
                }
            }
            return connectKernel(remote, start, timeoutNanos);
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            connectLock.unlock();
        }
    }

    /** Waits for the handshake. Returns whether it brought a connection; otherwise the kernel is to be tried. */
    private boolean connectWaiting(long start, long timeoutNanos) throws IOException {
        boolean connected = false;
        boolean fellBack = false;
        try {
            begin();
            while (isOpen()) {
                connected = stream.finishConnect();
                fellBack = !connected && stream.takeFallback();
                if (connected || fellBack) {
                    break;
                }
                long left = timeoutNanos == 0 ? -1 : timeoutNanos - (System.nanoTime() - start);
                if (timeoutNanos != 0 && left <= 0) {
                    throw new SocketTimeoutException("Connect timed out");
                }
                provider.accelerator().waits().await(stream, SelectionKey.OP_CONNECT, left);
                begin(); // as in readWaiting
            }
        } finally {
            end(connected || fellBack);
        }
        return connected;
    }

    private boolean connectKernel(InetSocketAddress remote, long start, long timeoutNanos) throws IOException {
        if (timeoutNanos == 0) {
            return kernel.connect(remote);
        }
        long left = Math.max(1, (timeoutNanos - (System.nanoTime() - start) + 999_999) / 1_000_000);
        kernel.socket().connect(remote, (int) Math.min(left, Integer.MAX_VALUE));
        return true;
    }

    private InetSocketAddress checkRemote(SocketAddress remote) throws IOException {
        Objects.requireNonNull(remote, "remote");
        if (!(remote instanceof InetSocketAddress address)) {
            throw new UnsupportedAddressTypeException();
        }
        if (address.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        if (family == StandardProtocolFamily.INET && !(address.getAddress() instanceof Inet4Address)) {
            throw new UnsupportedAddressTypeException();
        }
        // As the JDK has it: the wildcard stands for this host.
        return address.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLocalHost(), address.getPort())
                : address;
    }

    @Override
    public boolean finishConnect() throws IOException {
        if (!stream.isConnecting()) {
            if (stream.stream() != null) {
                ensureOpen();
                return true;
            }
            return onKernel(b -> kernel.finishConnect() ? 1 : 0, null) == 1;
        }
        connectLock.lock();
        try {
            ensureOpen();
            // Begun in non-blocking mode; if it is finished in blocking mode, that waits.
            if (isBlocking() ? connectWaiting(System.nanoTime(), 0) : stream.finishConnect()) {
                announceUrgentInline();
                return true;
            }
            if (!isBlocking()) {
                return false;
            }
            InetSocketAddress remote;
            synchronized (this) {
                remote = (InetSocketAddress) lastRemote; // as connect() has set it
            }
            return connectKernel(remote, 0, 0);
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            connectLock.unlock();
        }
    }

    @Override
    public boolean isConnected() {
        return isOpen() && (link() != null || (kernel != null && kernel.isConnected()));
    }

    @Override
    public boolean isConnectionPending() {
        return isOpen() && (stream.isConnecting() || (kernel != null && kernel.isConnectionPending()));
    }

    // ---- addresses

    @Override
    public SocketChannel bind(SocketAddress local) throws IOException {
        ensureOpen();
        if (stream.isConnecting()) {
            throw new ConnectionPendingException();
        }
        if (kernel == null) {
            throw new AlreadyBoundException();
        }
        kernel.bind(local);
        return this;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        ensureOpen();
        InetSocketAddress local = stream.linkLocal();
        return local != null ? local : kernel.getLocalAddress();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        ensureOpen();
        InetSocketAddress remote = stream.linkRemote();
        return remote != null ? remote : kernel.getRemoteAddress();
    }

    @Override
    public SocketAddress localAddressOrNull() {
        try {
            SocketAddress local = getLocalAddress();
            synchronized (this) {
                lastLocal = local;
            }
            return local;
        } catch (IOException e) {
            synchronized (this) {
                return lastLocal; // closed: as it was
            }
        }
    }

    @Override
    public SocketAddress remoteAddressOrNull() {
        try {
            SocketAddress remote = getRemoteAddress();
            synchronized (this) {
                lastRemote = remote != null ? remote : lastRemote;
                return lastRemote;
            }
        } catch (IOException e) {
            synchronized (this) {
                return lastRemote; // closed: as it was
            }
        }
    }

    // ---- options

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        optionsOf().setOption(name, value);
        if (StandardSocketOptions.SO_LINGER.equals(name)) {
            linger = optionsOf().getOption(StandardSocketOptions.SO_LINGER);
        } else if (name.name().equals("SO_OOBINLINE")) {
            urgentInline = (Boolean) value;
            announceUrgentInline();
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return optionsOf().getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        if (kernel != null) {
            return kernel.supportedOptions();
        }
        try {
            return optionsOf().supportedOptions();
        } catch (IOException e) {
            return Set.of(); // closed, or out of descriptors: no option can be had
        }
    }

    /** A kernel socket keeps the options, and so rounds and refuses values as the kernel does. */
    private SocketChannel optionsOf() throws IOException {
        if (kernel != null) {
            return kernel;
        }
        ensureOpen();
        synchronized (this) {
            if (optionsKeeper == null && !optionsClosed) {
                optionsKeeper = provider.kernel().openSocketChannel();
                for (Map.Entry<SocketOption<?>, Object> option : inherited.entrySet()) {
                    set(optionsKeeper, option.getKey(), option.getValue());
                }
            }
            if (optionsKeeper == null) {
                throw new ClosedChannelException();
            }
            return optionsKeeper;
        }
    }

    @SuppressWarnings("unchecked") // the value was set on the listener under this very name
    private static <T> void set(SocketChannel channel, SocketOption<T> name, Object value) throws IOException {
        if (channel.supportedOptions().contains(name)) {
            channel.setOption(name, (T) value);
        }
    }

    /** Lets the peer send urgent bytes, which otherwise it drops as a TCP receiver would. */
    private void announceUrgentInline() {
        LinkStream link = link();
        if (urgentInline && link != null) {
            link.wantUrgentInline();
        }
    }

    // ---- shutting down and closing

    @Override
    public SocketChannel shutdownInput() throws IOException {
        ensureOpen();
        LinkStream link = link();
        if (link == null) {
            onKernel(
                    b -> {
                        kernel.shutdownInput();
                        return 0;
                    },
                    null);
        } else {
            link.shutdownInput();
        }
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        ensureOpen();
        LinkStream link = link();
        if (link == null) {
            onKernel(
                    b -> {
                        kernel.shutdownOutput();
                        return 0;
                    },
                    null);
        } else {
            link.shutdownOutput();
        }
        return this;
    }

    @Override
    public boolean isInputShutdown() {
        LinkStream link = link();
        return link != null
                ? link.isInputShut()
                : kernel != null && kernel.socket().isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        LinkStream link = link();
        return link != null
                ? link.isOutputShut()
                : kernel != null && kernel.socket().isOutputShutdown();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        rememberAddresses();
        // As the JDK: a channel that is still registered ends in order even if it has not read everything.
        boolean orderly = isRegistered() && !isBlocking() && linger != 0;
        if (orderly && kernel != null && kernel.isConnected()) {
            endKernelInOrder();
        }
        stream.close(linger == 0, orderly);
        if (kernel != null) {
            kernel.close();
        }
        SocketChannel keeper;
        synchronized (this) {
            optionsClosed = true;
            keeper = optionsKeeper;
        }
        if (keeper != null) {
            keeper.close();
        }
    }

    private void endKernelInOrder() {
        try {
            kernel.shutdownOutput();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "ending a connection before its close failed; the peer has ended it before", e);
        }
    }

    /** For the socket adaptor, which tells them after a close, too. */
    private void rememberAddresses() throws IOException {
        synchronized (this) {
            if (socket == null) {
                return;
            }
        }
        InetSocketAddress local = stream.linkLocal();
        SocketAddress last =
                local != null ? local : kernel != null && kernel.isOpen() ? kernel.getLocalAddress() : null;
        synchronized (this) {
            lastLocal = last != null ? last : lastLocal;
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        stream.endRegistrations(AccelSocketChannel::isOver);
        if (kernel != null) {
            kernel.configureBlocking(block);
        }
    }

    // ---- the socket adaptor

    @Override
    public SocketChannel channel() {
        return this;
    }

    @Override
    public synchronized Socket socket() {
        if (socket == null) {
            socket = AccelSocket.over(this);
        }
        return socket;
    }

    @Override
    public int readBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException {
        LinkStream link = link();
        if (link == null) {
            // The JDK's adaptor alone can time out; it holds the timeout in milliseconds.
            kernel.socket().setSoTimeout((int) Math.min((timeoutNanos + 999_999) / 1_000_000, Integer.MAX_VALUE));
            return (int)
                    onKernel(buffer -> isInputShutdown() ? -1 : kernelInput().read(b, off, len), null);
        }
        ByteBuffer dst = ByteBuffer.wrap(b, off, len);
        link.lockRead();
        try {
            ensureOpen();
            if (!isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            if (Thread.currentThread().isInterrupted()) {
                closeByInterrupt();
            }
            int n = link.read(dst);
            long limit = timeoutNanos == 0 ? -1 : timeoutNanos;
            return n != 0 ? n : (int) readWaiting(link, READ_ONE, dst, null, 0, 0, limit);
        } finally {
            link.unlockRead();
        }
    }

    @Override
    public void writeBlocking(byte[] b, int off, int len) throws IOException {
        if (!isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        ByteBuffer src = ByteBuffer.wrap(b, off, len);
        while (src.hasRemaining()) {
            if (write(src) == 0 && !isBlocking()) {
                throw new IllegalBlockingModeException();
            }
        }
    }

    @Override
    public int available() throws IOException {
        ensureOpen();
        LinkStream link = link();
        if (link != null) {
            return link.available();
        }
        if (!kernel.isConnected()) {
            return notYetConnected();
        }
        return kernel.socket().isInputShutdown() ? 0 : kernelInput().available();
    }

    /** Got once, because the JDK's adaptor gives none any more after shutdownInput. */
    private synchronized InputStream kernelInput() throws IOException {
        if (kernelInput == null) {
            kernelInput = kernel.socket().getInputStream();
        }
        return kernelInput;
    }

    private static int notYetConnected() {
        throw new NotYetConnectedException();
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        ensureOpen();
        LinkStream link = link();
        if (link != null) {
            if (!link.isUrgentInline()) {
                ProcessCounters.dropped(
                        Drop.URGENT); // as TCP drops an urgent byte that the receiver does not want inline
            } else if (write(ByteBuffer.wrap(new byte[] {(byte) data})) == 0) {
                throw new IOException("Socket buffer full");
            }
            return;
        }
        kernel.socket().sendUrgentData(data);
    }

    // ---- the kernel's path

    private interface KernelCall {
        long run(ByteBuffer buffer) throws IOException;
    }

    /** Does it on the JDK's channel. If that closed itself, by an interrupt or a failed connect, this closes, too. */
    private long onKernel(KernelCall call, ByteBuffer buffer) throws IOException {
        if (kernel == null) {
            throw new ClosedChannelException();
        }
        try {
            if (stream.isConnecting()) {
                ensureOpen();
                throw new NotYetConnectedException();
            }
            return call.run(buffer);
        } catch (IOException e) {
            if (!kernel.isOpen() && isOpen()) {
                close();
            }
            throw e;
        }
    }

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    /** The thread came interrupted into a blocking operation: the channel closes and the operation says so. */
    private void closeByInterrupt() throws IOException {
        boolean completed = false;
        try {
            begin();
            completed = isOpen();
        } finally {
            end(completed);
        }
    }

    @Override
    public String toString() {
        // The JDK's own words: programs log them, and some look for them.
        StringBuilder text = new StringBuilder(SocketChannel.class.getName()).append('[');
        if (!isOpen()) {
            text.append("closed");
        } else {
            text.append(isConnected() ? "connected" : isConnectionPending() ? "connection-pending" : "unconnected");
            text.append(isInputShutdown() ? " ishut" : "").append(isOutputShutdown() ? " oshut" : "");
            appendTo(text, " local=", localAddressOrNull());
            appendTo(text, " remote=", remoteAddressOrNull());
        }
        return text.append(']').toString();
    }

    private static void appendTo(StringBuilder text, String name, SocketAddress address) {
        if (address != null) {
            text.append(name).append(address);
        }
    }
}
