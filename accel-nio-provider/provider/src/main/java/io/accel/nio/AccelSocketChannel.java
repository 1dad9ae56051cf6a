// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.PathInfo;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.BlockingWaits;
import io.accel.core.socket.PlainStream;
import io.accel.core.socket.Relief;
import io.accel.core.socket.StreamChannels;
import io.accel.core.socket.StreamSocket;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * A stream channel over the JDK's own, which decides everything about it: state, addresses, options, exceptions. Only its bytes, and
 * its readiness for them, may be a link's for a part of its life. Safe for use by many threads, as {@link SocketChannel} promises.
 */
public final class AccelSocketChannel extends SocketChannel {
    /** How long a change of the mode keeps reads out while a write is under way. */
    private static final long MODE_GLANCE_NANOS = 100_000;
    /** How long it then waits for the write before it looks at the reads again. */
    private static final long MODE_TURN_NANOS = 10_000_000;

    static {
        StreamChannels.register(AccelSocketChannel.class, new Insides());
    }

    /** The beginnings of the addresses in the text of the JDK's channel. */
    private static final List<String> ADDRESSES = List.of(" local=", " remote=");

    private final PlainStream plain;
    /** The JDK's channel. */
    private final SocketChannel kernel;

    /** Null as long as the stream has no socket. Written once, behind {@link #output}, under the stream's monitor; any thread reads it. */
    private volatile StreamInput input;
    /** As {@link #input}. */
    private volatile StreamOutput output;

    /** Whether the core knows that this is connected. Set once, under the stream's monitor, by the first thread that finds it connected. */
    private boolean known;

    private volatile boolean outputShut;
    /** As {@link #outputShut}, for the input. */
    private volatile boolean inputShut;
    /** Whether the program wants its close to be a reset. The JDK's channel can no longer tell when an interrupt has closed it. */
    private volatile boolean resets;

    /** Whether the close has begun, and must be finished when no selector has a key of this any more. Under the stream's monitor. */
    private boolean closing;

    private Socket socket; // guarded by this

    /**
     * Creates a channel.
     *
     * @param kernel the JDK's channel, which is the anchor of the stream
     */
    AccelSocketChannel(AccelSelectorProvider provider, PlainStream stream, SocketChannel kernel) {
        super(provider);
        this.plain = stream;
        this.kernel = kernel;
        if (kernel.isConnected()) {
            this.known = true;
        }
    }

    /** As the constructor. A class that calls this can be loaded without this one. */
    static SocketChannel over(AccelSelectorProvider provider, PlainStream stream, SocketChannel kernel) {
        return new AccelSocketChannel(provider, stream, kernel);
    }

    Pollable pollable() {
        return plain;
    }

    /**
     * Returns the path of the connection's bytes, and the reason why not a faster one; the kernel's path before it is connected.
     *
     * @return the path
     */
    public PathInfo path() {
        return plain.socket().path();
    }

    /** Whether a registration's key was cancelled. */
    static boolean isOver(Object attachment) {
        return attachment instanceof SelectionKey key && !key.isValid();
    }

    // ---- reading and writing

    @Override
    public int read(ByteBuffer dst) throws IOException {
        StreamInput made = input;
        return made == null ? readPlain(dst) : made.read(dst);
    }

    /** Reads from the kernel, unless the stream has a socket, or is to have one. */
    private int readPlain(ByteBuffer dst) throws IOException {
        if (StreamsLock.isHeld(this, dst) || !plain.beginRead()) {
            return input().read(dst);
        }
        int n = 0;
        IOException failure = null;
        StreamInput made = null;
        boolean isOver = false;
        try {
            try {
                n = kernel.read(dst);
            } catch (IOException e) {
                failure = e;
            }
            if (failure != null || !plain.endRead(n)) {
                made = input();
            }
            isOver = true;
        } finally {
            if (!isOver) {
                plain.leaveRead();
            }
        }
        if (made != null) {
            return made.endEarly(n, failure, dst);
        }
        if (n < 0 && !isOpen()) {
            throw new AsynchronousCloseException();
        }
        return n;
    }

    private StreamInput input() {
        StreamInput made = input;
        if (made == null) {
            makeHalves();
            made = input;
        }
        return made;
    }

    private StreamOutput output() {
        StreamOutput made = output;
        if (made == null) {
            makeHalves();
            made = output;
        }
        return made;
    }

    private void makeHalves() {
        synchronized (plain) {
            if (input == null) {
                StreamSocket socket = plain.socket();
                output = new StreamOutput(this, socket.outgoing());
                input = new StreamInput(this, socket.incoming());
            }
        }
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        return input().read(dsts, offset, length);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        StreamOutput made = output;
        return made == null ? writePlain(src) : made.write(src);
    }

    /** As {@link #readPlain}. */
    private int writePlain(ByteBuffer src) throws IOException {
        if (StreamsLock.isHeld(this, src) || !plain.beginWrite()) {
            return output().write(src);
        }
        int n = 0;
        IOException failure = null;
        StreamOutput made = null;
        boolean isOver = false;
        try {
            try {
                n = kernel.write(src);
            } catch (IOException e) {
                failure = e;
            }
            if (failure != null || !plain.endWrite(n)) {
                made = output();
            }
            isOver = true;
        } finally {
            if (!isOver) {
                plain.leaveWrite();
            }
        }
        return made == null ? n : made.endEarly(n, failure, src);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        return output().write(srcs, offset, length);
    }

    /** Does {@link FileChannel#transferTo} with this as its target. */
    long writeFrom(FileChannel file, long position, long count) throws IOException {
        return output().writeFrom(file, position, count);
    }

    /**
     * Called when the JDK's channel has failed. If an interrupt or a failed connect closed it, this closes, too. A close of this
     * channel tells the peer before it closes the JDK's channel, so the peer's answer does not matter any more.
     *
     * @return the exception to throw
     */
    IOException failed(IOException e) throws IOException {
        if (!isOpen()) {
            return e instanceof ClosedChannelException ? e : new AsynchronousCloseException();
        }
        if (kernel.isOpen()) {
            return e;
        }
        close();
        // An interrupt may have come while this took an announcement from the JDK's channel, or sent one through it.
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
            throw failed(Relief.forNext(e, waits()));
        }
        if (connected) {
            established();
        }
        return connected;
    }

    /** Implements {@link SocketHooks#connectBlocking}. */
    void connectBlocking(SocketAddress remote, int timeoutMillis) throws IOException {
        boolean wasOpen = isOpen();
        try {
            kernel.socket().connect(remote, timeoutMillis);
        } catch (IOException e) {
            throw wasOpen ? failed(Relief.forNext(e, waits())) : e;
        }
        established();
    }

    /** Converts to milliseconds, the unit of the timeouts of the JDK's adaptor. */
    static int toMillis(long nanos) {
        return (int) Math.min((nanos + 999_999) / 1_000_000, Integer.MAX_VALUE);
    }

    /**
     * Tells the core that this is connected. Its exceptions go to the program unchanged; this alone closes a connection that the
     * profile refuses.
     */
    private void established() throws IOException {
        if (isNews()) {
            try {
                plain.connected();
            } catch (IOException e) {
                close();
                throw e;
            }
        }
    }

    /** Whether no thread has told the core before. A lock: a handle, or an object, for what happens once would cost more. */
    private boolean isNews() {
        synchronized (plain) {
            boolean news = !known;
            known = true;
            return news;
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

    /** Implements {@link SocketHooks#localAddressOrNull}. */
    SocketAddress localAddressOrNull() {
        try {
            return kernel.getLocalAddress();
        } catch (IOException e) {
            return kernel.socket().getLocalSocketAddress(); // closed: the adaptor still has it
        }
    }

    /** Implements {@link SocketHooks#remoteAddressOrNull}. */
    SocketAddress remoteAddressOrNull() {
        try {
            return kernel.getRemoteAddress();
        } catch (IOException e) {
            return kernel.socket().getRemoteSocketAddress(); // closed: the adaptor still has it
        }
    }

    // ---- options

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (plain.optionsMonitor()) {
            if (!isOpen() && isApplicable(name, value)) {
                throw new ClosedChannelException(); // the kernel's may stay open for a while
            }
            kernel.setOption(name, value);
        }
        if (name.equals(StandardSocketOptions.SO_LINGER)) {
            resets = (Integer) value == 0;
        } else if (name.name().equals("SO_OOBINLINE")) {
            plain.socket().wantUrgentInline((Boolean) value);
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (plain.optionsMonitor()) {
            return kernel.getOption(name);
        }
    }

    /** Whether the kernel's channel would set it; otherwise it says what is wrong. */
    private boolean isApplicable(SocketOption<?> name, Object value) {
        return name != null && supportedOptions().contains(name) && name.type().isInstance(value);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return kernel.supportedOptions();
    }

    // ---- shutting down and closing

    @Override
    public SocketChannel shutdownInput() throws IOException {
        boolean before = inputShut;
        inputShut = true; // before a reader that waits returns the end, since it may ask
        boolean isShut = false;
        try {
            kernel.shutdownInput();
            isShut = true;
        } finally {
            inputShut = before || isShut;
        }
        plain.socket().shutdownInput();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        ensureOpen();
        if (kernel.isConnected()) {
            outputShut = true; // before a writer that waits fails, since it may ask
            plain.socket().shutdownOutput();
        } else {
            kernel.shutdownOutput(); // this throws what is wrong
        }
        return this;
    }

    boolean isInputShutdown() {
        return inputShut;
    }

    boolean isOutputShutdown() {
        return outputShut;
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        boolean isWatched = isRegistered() && !isBlocking();
        StreamSocket stream = plain.socketOrNull();
        if (isWatched && stream != null && stream.beginClose(resets)) {
            synchronized (plain) {
                closing = true;
            }
            if (!isRegistered()) {
                finishClose(); // a selector has let go of the last key meanwhile, and may have come too early
            }
            return;
        }
        // As in the JDK, a channel that is still registered ends in order even if it has not read everything.
        close(isWatched);
    }

    /** Finishes a close that waited for the selectors. Called when one of them has let go of the last key of a closed channel. */
    void finishClose() throws IOException {
        boolean isMine;
        synchronized (plain) {
            isMine = closing;
            closing = false;
        }
        if (isMine) {
            close(false);
        }
    }

    private void close(boolean orderly) throws IOException {
        StreamSocket stream = null;
        try {
            stream = plain.close(resets, orderly);
            if (stream != null) {
                stream.close(resets, orderly);
            }
        } finally { // whatever fails there, the peer hears of the end
            kernel.close();
            if (stream != null) {
                stream.anchorClosed(resets);
            }
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        if (isRegistered()) {
            plain.endRegistrations(AccelSocketChannel::isOver);
        }
        if (!hasLink()) {
            kernel.configureBlocking(block); // which waits for the reads and writes that are under way there
            if (!hasLink()) {
                return; // none of them has gone on by a link
            }
        }
        while (!tryConfigureBlocking(block)) {
            // A read is about to go on by another path, or a write is under way, which may need what a reader is to
            // take.
            Object writes = output().enterIdle(MODE_TURN_NANOS);
            if (writes != null) {
                output().leaveIdle(writes);
            }
        }
    }

    private boolean hasLink() {
        StreamSocket stream = plain.socketOrNull();
        return stream != null && stream.attached() != null;
    }

    /** Changes the mode between reads and writes. As in the JDK, one that is under way ends in the mode in which it has begun. */
    private boolean tryConfigureBlocking(boolean block) throws IOException {
        Object reads = input().enterIdle();
        if (reads == null) {
            return false;
        }
        try {
            Object writes = output().enterIdle(MODE_GLANCE_NANOS);
            if (writes == null) {
                return false;
            }
            try {
                ensureOpen();
                kernel.configureBlocking(block);
            } finally {
                output().leaveIdle(writes);
            }
        } finally {
            input().leaveIdle(reads);
        }
        return true;
    }

    // ---- the socket adaptor

    @Override
    public synchronized Socket socket() {
        if (socket == null) {
            Objects.requireNonNull(kernel.socket(), "socket"); // which throws for a family that has none
            socket = ChannelSocketHooks.socket(this, input(), output());
        }
        return socket;
    }

    void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    BlockingWaits waits() {
        return plain.waits();
    }

    /** The JDK's channel. */
    SocketChannel kernel() {
        return kernel;
    }

    Blocking blocking() {
        return output().blocking();
    }

    Blocking newBlocking() {
        return BeginAndEnd.of(this);
    }

    /** Shows the core the parts of a channel. */
    private static final class Insides implements Function<SocketChannel, StreamChannels.Inside> {
        @Override
        public StreamChannels.Inside apply(SocketChannel channel) {
            AccelSocketChannel own = (AccelSocketChannel) channel;
            return new StreamChannels.Inside(own.plain.socket(), own.kernel);
        }
    }

    private static final class BeginAndEnd extends Blocking {
        private final AccelSocketChannel channel;

        BeginAndEnd(AccelSocketChannel channel) {
            this.channel = channel;
        }

        /** A class that calls this can be loaded without this one. */
        static Blocking of(AccelSocketChannel channel) {
            return new BeginAndEnd(channel);
        }

        @Override
        void begin() {
            channel.begin();
        }

        @Override
        void end(boolean completed) throws AsynchronousCloseException {
            channel.end(completed);
        }

        @Override
        boolean isOpen() {
            return channel.isOpen();
        }
    }

    @Override
    public String toString() {
        // The text is the JDK's: programs log it, and some look for it.
        StringBuilder text = new StringBuilder(SocketChannel.class.getName()).append('[');
        if (!isOpen()) {
            text.append("closed");
        } else {
            text.append(isConnected() ? "connected" : isConnectionPending() ? "connection-pending" : "unconnected");
            text.append(isInputShutdown() ? " ishut" : "").append(isOutputShutdown() ? " oshut" : "");
            text.append(addresses(kernel.toString()));
        }
        return text.append(']').toString();
    }

    /** The part of the JDK's text that shows the addresses, which releases of the JDK show differently; empty if there is none. */
    private static String addresses(String jdks) {
        for (String beginning : ADDRESSES) {
            int at = jdks.indexOf(beginning);
            if (at >= 0) {
                return jdks.substring(at, jdks.length() - 1);
            }
        }
        return "";
    }
}
