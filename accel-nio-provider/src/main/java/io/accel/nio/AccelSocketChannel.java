package io.accel.nio;

import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.BlockingWaits;
import io.accel.core.socket.Incoming;
import io.accel.core.socket.LinkReader;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.LinkWriter;
import io.accel.core.socket.Outgoing;
import io.accel.core.socket.PathInfo;
import io.accel.core.socket.StreamSocket;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;

/**
 * A stream channel that is the JDK's own, which decides everything about it: state, addresses, options, exceptions. Only its
 * bytes, and when they can be read and written, may be a link's for a part of its life. Safe for use by many threads, as {@link
 * SocketChannel} promises.
 */
public final class AccelSocketChannel extends SocketChannel implements SocketHooks {
    private static final SocketOption<Integer> LINGER = StandardSocketOptions.SO_LINGER;

    private static final VarHandle KNOWN;

    static {
        try {
            KNOWN = MethodHandles.lookup()
                    .findVarHandle(AccelSocketChannel.class, "known", boolean.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final StreamSocket stream;
    private final Incoming in;
    private final Outgoing out;
    /** The JDK's channel. */
    private final SocketChannel kernel;

    /** Whether the core knows that this is connected. Set once, by {@link #KNOWN}, by whoever is first to find it connected. */
    @SuppressWarnings("UnusedVariable") // read through its handle
    private volatile boolean known;

    private volatile boolean outputShut;
    /** Whether the program has asked for its close to be a reset. A JDK's channel that an interrupt has closed does not tell any more. */
    private volatile boolean resets;

    // Guarded by this.
    private Socket socket;
    private InputStream kernelInput;

    /**
     * A channel.
     *
     * @param family that the program asked for, or null
     */
    AccelSocketChannel(
            AccelSelectorProvider provider, StreamSocket stream, SocketChannel kernel, ProtocolFamily family) {
        super(provider);
        this.stream = stream;
        this.in = stream.incoming();
        this.out = stream.outgoing();
        this.kernel = kernel;
        if (kernel.isConnected() || family == StandardProtocolFamily.UNIX) {
            this.known = true;
        }
    }

    Pollable pollable() {
        return stream.readiness();
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

    // ---- reading

    @Override
    public int read(ByteBuffer dst) throws IOException {
        int n;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernel(dst);
                link = in.link();
                if (n == LinkStream.MOVED) {
                    continue;
                }
                if (n != 0 || link == null) {
                    return n;
                }
            }
            n = readLink(link, dst, -1);
        } while (n == LinkStream.MOVED);
        return n;
    }

    private int readKernel(ByteBuffer dst) throws IOException {
        if (in.enter() != null) {
            return 0;
        }
        try {
            int aside = stream.isInputShut() || isReadRefused(dst) ? 0 : in.readAside(dst);
            if (aside > 0) {
                return aside;
            }
            int n = (int) unlessClosed(kernel.read(dst));
            return n < 0 && stream.isInputShut() ? -1 : in.took(n, dst);
        } catch (IOException e) {
            return endBehindReset(in.failed(failed(e)), dst);
        } finally {
            in.leave();
        }
    }

    /**
     * The JDK's channel under this has met a reset of which the program was told by a write, and says so before it looks at the buffer. One that
     * was told by a write has not met it, and does look.
     *
     * @param n what {@link Incoming#failed} has said
     */
    private static int endBehindReset(int n, ByteBuffer dst) {
        if (n < 0 && dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        return n < 0 && !dst.hasRemaining() ? 0 : n;
    }

    /** As {@link #endBehindReset(int, ByteBuffer)}: each buffer is looked at. */
    private static long endBehindReset(int n, ByteBuffer[] dsts, int offset, int length) {
        boolean room = false;
        for (int i = offset; n < 0 && i < offset + length; i++) {
            room |= endBehindReset(n, dsts[i]) < 0;
        }
        return n < 0 && !room ? 0 : n;
    }

    /** Whether the JDK's channel does not even try. */
    private boolean isReadRefused(ByteBuffer dst) {
        return dst.isReadOnly()
                || !kernel.isOpen()
                || (kernel.isBlocking() && Thread.currentThread().isInterrupted());
    }

    private int readLink(LinkStream link, ByteBuffer dst, long timeoutNanos) throws IOException {
        LinkReader reader = link.reader();
        reader.lock();
        try {
            boolean waits = beginRead();
            refuseReadOnly(link, dst);
            int n = reader.read(dst);
            if (n != 0 || !waits || !dst.hasRemaining()) {
                return n;
            }
            return (int) readWaiting(link, READ_ONE, dst, null, 0, 0, timeoutNanos);
        } finally {
            reader.unlock();
        }
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        long n;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernel(dsts, offset, length);
                link = in.link();
                if (n == LinkStream.MOVED) {
                    continue;
                }
                if (n != 0 || link == null) {
                    return n;
                }
            }
            n = readLink(link, dsts, offset, length);
        } while (n == LinkStream.MOVED);
        return n;
    }

    /** What the JDK's channels look at before the buffer. Returns whether to wait. In the reading half. */
    private boolean beginRead() throws IOException {
        ensureOpen();
        boolean waits = isBlocking();
        if (waits && Thread.currentThread().isInterrupted()) {
            closeByInterrupt();
        }
        return waits;
    }

    /** But for what the JDK's channels say before they look at the buffer, which the link says as well. */
    private void refuseReadOnly(LinkStream link, ByteBuffer dst) {
        if (dst.isReadOnly() && !stream.isInputShut() && !link.reader().hasMetReset()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    private long readLink(LinkStream link, ByteBuffer[] dsts, int offset, int length) throws IOException {
        LinkReader reader = link.reader();
        reader.lock();
        try {
            boolean waits = beginRead();
            boolean room = false;
            for (int i = offset; i < offset + length; i++) {
                refuseReadOnly(link, dsts[i]);
                room |= dsts[i].hasRemaining();
            }
            long n = reader.read(dsts, offset, length);
            if (n != 0 || !waits || !room) {
                return n;
            }
            return readWaiting(link, READ_MANY, null, dsts, offset, length, -1);
        } finally {
            reader.unlock();
        }
    }

    private long readKernel(ByteBuffer[] dsts, int offset, int length) throws IOException {
        if (in.enter() != null) {
            return 0;
        }
        try {
            int[] before = new int[length];
            for (int i = 0; i < length; i++) {
                before[i] = dsts[offset + i].position();
            }
            long aside = 0;
            for (int i = offset; i < offset + length && !stream.isInputShut() && !isReadRefused(dsts[i]); i++) {
                aside += in.readAside(dsts[i]);
            }
            if (aside > 0) {
                return aside;
            }
            long n = unlessClosed(kernel.read(dsts, offset, length));
            return n < 0 && stream.isInputShut() ? -1 : in.took(n, dsts, before, offset);
        } catch (IOException e) {
            return endBehindReset(in.failed(failed(e)), dsts, offset, length);
        } finally {
            in.leave();
        }
    }

    /**
     * The JDK's channel has failed. If it closed itself, by an interrupt or a failed connect, this closes, too. A close of this
     * tells the peer before it closes the JDK's channel: how the peer answers is no news any more.
     *
     * @return what to throw
     */
    private IOException failed(IOException e) throws IOException {
        if (!isOpen()) {
            return e instanceof ClosedChannelException ? e : new AsynchronousCloseException();
        }
        if (kernel.isOpen()) {
            return e;
        }
        close();
        // An interrupt may have come while this took an announcement from the JDK's channel, or sent one by it.
        boolean isInterrupts = e.getClass() == ClosedChannelException.class
                && Thread.currentThread().isInterrupted();
        return isInterrupts ? new ClosedByInterruptException() : e;
    }

    /** What the JDK's channel has read, unless it is the peer's answer to a close of this. */
    private long unlessClosed(long n) throws AsynchronousCloseException {
        if (n < 0 && !isOpen()) {
            throw new AsynchronousCloseException();
        }
        return n;
    }

    /** One try at a transfer of one buffer or of several. Not capturing, so that waiting makes no garbage. */
    private interface Attempt {
        long run(LinkStream link, ByteBuffer one, ByteBuffer[] many, int offset, int length) throws IOException;
    }

    private static final Attempt READ_ONE =
            (link, one, many, offset, length) -> link.reader().read(one);
    private static final Attempt READ_MANY =
            (link, one, many, offset, length) -> link.reader().read(many, offset, length);
    private static final Attempt WRITE_ONE =
            (link, one, many, offset, length) -> link.writer().write(one);
    private static final Attempt WRITE_MANY =
            (link, one, many, offset, length) -> link.writer().write(many, offset, length);

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
        BlockingWaits waits = stream.waits();
        if (waits.glance(link, SelectionKey.OP_READ) && !Thread.currentThread().isInterrupted() && !link.isClosed()) {
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
                waits.await(link, SelectionKey.OP_READ, left);
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
        int n;
        do {
            LinkStream link = out.link();
            if (link == null) {
                link = out.enter(src.hasRemaining());
                if (link == null) {
                    return writeKernel(src);
                }
            }
            n = writeLink(link, src);
        } while (n == LinkStream.MOVED);
        return n;
    }

    private int writeLink(LinkStream link, ByteBuffer src) throws IOException {
        LinkWriter writer = link.writer();
        writer.lock();
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits && Thread.currentThread().isInterrupted()) {
                closeByInterrupt();
            }
            int n = writer.write(src);
            if (n == LinkStream.MOVED || !src.hasRemaining()) {
                return n;
            }
            if (out.goBack(link)) {
                return (int) writeRest(src, null, 0, 0, n);
            }
            if (!waits) {
                return n;
            }
            return (int) writeWaiting(link, WRITE_ONE, src, null, 0, 0, n);
        } catch (IOException e) {
            throw failed(byLink(e));
        } finally {
            writer.unlock();
        }
    }

    /** In the writing half of the kernel's path, which this leaves. */
    private int writeKernel(ByteBuffer src) throws IOException {
        try {
            return giveKernel(src);
        } catch (IOException e) {
            throw out.failed(failed(e));
        } finally {
            out.leave();
        }
    }

    private int giveKernel(ByteBuffer src) throws IOException {
        int n = kernel.write(src);
        out.gave(n, src);
        return n;
    }

    /** As {@link FileChannel#transferTo} with this as its target. */
    long writeFrom(FileChannel file, long position, long count) throws IOException {
        return new FileTransfer(this, out, file).send(position, count);
    }

    /**
     * Sends a part of a file through the kernel; in the writing half of its path, which this leaves.
     *
     * @param behind whether a part before it is sent, of which the program is to know rather than of a failure
     */
    long giveKernel(FileChannel file, long position, long count, boolean behind) throws IOException {
        try {
            long n = file.transferTo(position, count, kernel);
            out.gave(n);
            return n;
        } catch (IOException e) {
            if (behind && !(e instanceof ClosedByInterruptException)) {
                out.failedBehind(e);
                return 0;
            }
            throw out.failed(failed(e));
        } finally {
            out.leave();
        }
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        long n;
        do {
            LinkStream link = out.link();
            if (link == null) {
                link = out.enter(hasRemaining(srcs, offset, length));
                if (link == null) {
                    return writeKernel(srcs, offset, length);
                }
            }
            n = writeLink(link, srcs, offset, length);
        } while (n == LinkStream.MOVED);
        return n;
    }

    private long writeLink(LinkStream link, ByteBuffer[] srcs, int offset, int length) throws IOException {
        LinkWriter writer = link.writer();
        for (int i = offset; i < offset + length; i++) {
            Objects.requireNonNull(srcs[i], "buffer");
        }
        writer.lock();
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits && Thread.currentThread().isInterrupted()) {
                closeByInterrupt();
            }
            long n = writer.write(srcs, offset, length);
            if (n == LinkStream.MOVED || !hasRemaining(srcs, offset, length)) {
                return n;
            }
            if (out.goBack(link)) {
                return writeRest(null, srcs, offset, length, n);
            }
            if (!waits) {
                return n;
            }
            return writeWaiting(link, WRITE_MANY, null, srcs, offset, length, n);
        } catch (IOException e) {
            throw failed(byLink(e));
        } finally {
            writer.unlock();
        }
    }

    private long writeKernel(ByteBuffer[] srcs, int offset, int length) throws IOException {
        try {
            return giveKernel(srcs, offset, length);
        } catch (IOException e) {
            throw out.failed(failed(e));
        } finally {
            out.leave();
        }
    }

    private long giveKernel(ByteBuffer[] srcs, int offset, int length) throws IOException {
        int[] before = out.positions(srcs, offset, length);
        long n = kernel.write(srcs, offset, length);
        out.gave(n, srcs, before, offset);
        return n;
    }

    /** What to throw for a write that fails over the link. As the JDK's, output that was shut down counts as closed meanwhile. */
    private IOException byLink(IOException e) {
        return e.getClass() == ClosedChannelException.class && isOpen() ? new AsynchronousCloseException() : e;
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

    /**
     * Tries until everything was written, if need be through the kernel in the end, or what was written is all that can be; in the
     * writing half.
     */
    private long writeWaiting(
            LinkStream link, Attempt attempt, ByteBuffer one, ByteBuffer[] many, int offset, int length, long written)
            throws IOException {
        BlockingWaits waits = stream.waits();
        long total = written;
        boolean isBack = false;
        try {
            begin();
            while (isOpen() && !link.isClosed()) {
                if (total > 0 && link.writer().refusesBytes()) {
                    break; // the next write says why: of this one the program is to know how much was taken
                }
                try {
                    total += attempt.run(link, one, many, offset, length);
                } catch (AsynchronousCloseException e) {
                    if (total == 0) {
                        throw e;
                    }
                    break; // as above
                }
                boolean more = one != null ? one.hasRemaining() : hasRemaining(many, offset, length);
                isBack = more && out.goBack(link);
                if (!more || isBack) {
                    break;
                }
                waits.await(link, SelectionKey.OP_WRITE, -1);
                begin(); // as in readWaiting
            }
        } finally {
            endWaiting(total > 0, isBack);
        }
        return isBack ? writeRest(one, many, offset, length, total) : total;
    }

    /** An interrupt that came meanwhile is thrown here: then nobody else leaves the kernel's half, in which the caller is if it went back. */
    private void endWaiting(boolean some, boolean isBack) throws AsynchronousCloseException {
        boolean goesOn = false;
        try {
            end(some || isBack);
            goesOn = true;
        } finally {
            if (isBack && !goesOn) {
                out.leave();
            }
        }
    }

    /** Writes to the kernel what the link had no room for; in the writing half of the kernel's path, which this leaves. */
    private long writeRest(ByteBuffer one, ByteBuffer[] many, int offset, int length, long written) throws IOException {
        try {
            return written + (one != null ? giveKernel(one) : giveKernel(many, offset, length));
        } catch (IOException e) {
            if (written == 0 || e instanceof ClosedByInterruptException) {
                throw out.failed(failed(e));
            }
            out.failedBehind(e);
            return written;
        } finally {
            out.leave();
        }
    }

    // ---- connecting

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        boolean connected;
        try {
            connected = kernel.connect(remote);
        } catch (IOException e) {
            throw failed(e);
        }
        if (connected) {
            established();
        }
        return connected;
    }

    @Override
    public void connectBlocking(SocketAddress remote, long timeoutNanos) throws IOException {
        try {
            kernel.socket().connect(remote, toMillis(timeoutNanos));
        } catch (IOException e) {
            throw failed(e);
        }
        established();
    }

    private static int toMillis(long nanos) {
        return (int) Math.min((nanos + 999_999) / 1_000_000, Integer.MAX_VALUE);
    }

    /** What this throws is for the program as it is: a connection that the profile refuses is closed by this, by nobody else. */
    private void established() throws IOException {
        if ((boolean) KNOWN.compareAndSet(this, false, true)) {
            try {
                stream.connected();
            } catch (IOException e) {
                close();
                throw e;
            }
        }
    }

    @Override
    public boolean finishConnect() throws IOException {
        boolean connected;
        try {
            connected = kernel.finishConnect();
        } catch (IOException e) {
            throw failed(e);
        }
        if (connected) {
            established();
        }
        return connected;
    }

    @Override
    public boolean isConnected() {
        return kernel.isConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return kernel.isConnectionPending();
    }

    // ---- addresses

    @Override
    public SocketChannel bind(SocketAddress local) throws IOException {
        kernel.bind(local);
        return this;
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return kernel.getLocalAddress();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        return kernel.getRemoteAddress();
    }

    @Override
    public SocketAddress localAddressOrNull() {
        try {
            return kernel.getLocalAddress();
        } catch (IOException e) {
            return kernel.socket().getLocalSocketAddress(); // closed: as it was
        }
    }

    @Override
    public SocketAddress remoteAddressOrNull() {
        try {
            return kernel.getRemoteAddress();
        } catch (IOException e) {
            return kernel.socket().getRemoteSocketAddress(); // closed: as it was
        }
    }

    // ---- options

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        kernel.setOption(name, value);
        if (name.equals(LINGER)) {
            resets = (Integer) value == 0;
        } else if (name.name().equals("SO_OOBINLINE")) {
            stream.wantUrgentInline((Boolean) value);
        }
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

    // ---- shutting down and closing

    @Override
    public SocketChannel shutdownInput() throws IOException {
        kernel.shutdownInput();
        stream.shutdownInput();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        ensureOpen();
        if (kernel.isConnected()) {
            stream.shutdownOutput();
        } else {
            kernel.shutdownOutput(); // which says what is wrong
        }
        outputShut = true;
        return this;
    }

    @Override
    public boolean isInputShutdown() {
        return stream.isInputShut();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShut;
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        // As the JDK: a channel that is still registered ends in order even if it has not read everything.
        stream.close(() -> resets, isRegistered() && !isBlocking());
        kernel.close();
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        stream.endRegistrations(AccelSocketChannel::isOver);
        kernel.configureBlocking(block);
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
        long start = System.nanoTime();
        long left = timeoutNanos;
        int n;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernelBlocking(b, off, len, left);
                link = in.link();
                if (n == LinkStream.MOVED) {
                    continue;
                }
                if (n != 0 || link == null) {
                    return n;
                }
            }
            if (!isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            left = timeoutNanos == 0 ? 0 : Math.max(1, timeoutNanos - (System.nanoTime() - start));
            n = readLink(link, ByteBuffer.wrap(b, off, len), left == 0 ? -1 : left);
        } while (n == LinkStream.MOVED);
        return n;
    }

    private int readKernelBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException {
        if (in.enter() != null) {
            return 0;
        }
        try {
            // The JDK's adaptor alone can time out; it holds the timeout in milliseconds.
            kernel.socket().setSoTimeout(toMillis(timeoutNanos));
            if (stream.isInputShut()) {
                return -1;
            }
            ByteBuffer dst = ByteBuffer.wrap(b, off, len);
            int aside = kernel.isOpen() ? in.readAside(dst) : 0;
            if (aside > 0) {
                return aside;
            }
            int n = (int) unlessClosed(kernelInput().read(b, off, len));
            return n < 0 && stream.isInputShut() ? -1 : in.took(n, dst.position(off + Math.max(0, n)));
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            return in.failed(failed(e));
        } finally {
            in.leave();
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
        if (!kernel.isConnected()) {
            throw new NotYetConnectedException();
        }
        return stream.isInputShut() ? 0 : in.available();
    }

    /** Got once, because the JDK's adaptor gives none any more after shutdownInput. */
    private synchronized InputStream kernelInput() throws IOException {
        if (kernelInput == null) {
            kernelInput = kernel.socket().getInputStream();
        }
        return kernelInput;
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        ensureOpen();
        LinkStream link = out.fix(); // the peer's kernel may drop the byte, so both would count differently from now on
        if (link == null) {
            kernel.socket().sendUrgentData(data);
        } else if (!link.isUrgentInline()) {
            ProcessCounters.dropped(Drop.URGENT); // as TCP drops an urgent byte that the receiver does not want inline
        } else if (write(ByteBuffer.wrap(new byte[] {(byte) data})) == 0) {
            throw new IOException("Socket buffer full");
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
