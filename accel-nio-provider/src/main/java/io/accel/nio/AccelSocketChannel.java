package io.accel.nio;

import io.accel.core.poll.Pollable;
import io.accel.core.socket.BlockingWaits;
import io.accel.core.socket.PathInfo;
import io.accel.core.socket.StreamSocket;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Set;

/**
 * A stream channel that is the JDK's own, which decides everything about it: state, addresses, options, exceptions. Only its
 * bytes, and when they can be read and written, may be a link's for a part of its life. Safe for use by many threads, as {@link
 * SocketChannel} promises.
 */
public final class AccelSocketChannel extends SocketChannel {
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
    private final StreamInput input;
    private final StreamOutput output;
    /** The JDK's channel. */
    private final SocketChannel kernel;

    /** Whether the core knows that this is connected. Set once, by {@link #KNOWN}, by whoever is first to find it connected. */
    @SuppressWarnings("UnusedVariable") // read through its handle
    private volatile boolean known;

    private volatile boolean outputShut;
    /** Whether the program has asked for its close to be a reset. A JDK's channel that an interrupt has closed does not tell any more. */
    private volatile boolean resets;

    private Socket socket; // guarded by this

    /**
     * A channel.
     *
     * @param family that the program asked for, or null
     */
    AccelSocketChannel(
            AccelSelectorProvider provider, StreamSocket stream, SocketChannel kernel, ProtocolFamily family) {
        super(provider);
        this.stream = stream;
        this.kernel = kernel;
        this.input = new StreamInput(this, stream.incoming());
        this.output = new StreamOutput(this, stream.outgoing());
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

    // ---- reading and writing

    @Override
    public int read(ByteBuffer dst) throws IOException {
        return input.read(dst);
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        return input.read(dsts, offset, length);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        return output.write(src);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        return output.write(srcs, offset, length);
    }

    /** As {@link FileChannel#transferTo} with this as its target. */
    long writeFrom(FileChannel file, long position, long count) throws IOException {
        return output.writeFrom(file, position, count);
    }

    /**
     * The JDK's channel has failed. If it closed itself, by an interrupt or a failed connect, this closes, too. A close of this
     * tells the peer before it closes the JDK's channel: how the peer answers is no news any more.
     *
     * @return what to throw
     */
    IOException failed(IOException e) throws IOException {
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

    /** As {@link SocketHooks#connectBlocking}. */
    void connectBlocking(SocketAddress remote, long timeoutNanos) throws IOException {
        try {
            kernel.socket().connect(remote, toMillis(timeoutNanos));
        } catch (IOException e) {
            throw failed(e);
        }
        established();
    }

    /** In milliseconds, as the JDK's adaptor has its timeouts. */
    static int toMillis(long nanos) {
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

    /** As {@link SocketHooks#localAddressOrNull}. */
    SocketAddress localAddressOrNull() {
        try {
            return kernel.getLocalAddress();
        } catch (IOException e) {
            return kernel.socket().getLocalSocketAddress(); // closed: as it was
        }
    }

    /** As {@link SocketHooks#remoteAddressOrNull}. */
    SocketAddress remoteAddressOrNull() {
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

    boolean isInputShutdown() {
        return stream.isInputShut();
    }

    boolean isOutputShutdown() {
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
    public synchronized Socket socket() {
        if (socket == null) {
            socket = AccelSocket.over(new ChannelSocketHooks(this, input, output));
        }
        return socket;
    }

    void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    BlockingWaits waits() {
        return stream.waits();
    }

    /** The JDK's channel. */
    SocketChannel kernel() {
        return kernel;
    }

    Blocking blocking() {
        return output.blocking();
    }

    Blocking newBlocking() {
        return new BeginAndEnd();
    }

    private final class BeginAndEnd extends Blocking {
        @Override
        void begin() {
            AccelSocketChannel.this.begin();
        }

        @Override
        void end(boolean completed) throws AsynchronousCloseException {
            AccelSocketChannel.this.end(completed);
        }

        @Override
        boolean isOpen() {
            return AccelSocketChannel.this.isOpen();
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
