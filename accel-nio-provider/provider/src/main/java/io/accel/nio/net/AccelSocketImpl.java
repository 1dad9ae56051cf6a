// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.daemon.Dropped;
import io.accel.core.socket.Accelerator;
import io.accel.core.socket.Incoming;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.Outgoing;
import io.accel.core.socket.PlainStream;
import io.accel.core.socket.Relief;
import io.accel.core.socket.StreamSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.Set;

/**
 * The implementation of a {@link java.net.Socket}: a socket of the JDK's, which decides everything except its bytes. A link may carry
 * these for a part of its life.
 *
 * <p>It behaves like the JDK's own. Reads, writes, connects and closes may come from different threads. A close ends waiting
 * operations with "Socket closed". An interrupt ends only the operations of virtual threads.
 */
final class AccelSocketImpl extends SocketImpl {
    private final Accelerator accelerator;
    /** Whether this asks for a SOCKS proxy when it connects. */
    private final boolean asksForProxies;

    // Guarded by this.
    private KernelSocket kernel;
    private boolean closed;
    /** Whether this is a socket of datagrams, as JDKs before 25 make it; the kernel carries them all. */
    private boolean datagrams;
    /** Whether the program may have set something that another socket of the JDK's would lack. */
    private boolean prepared;
    /** Its parts to close; null until it is connected, and where the JDK alone closes it. */
    private SocketParts inside;
    /** Lets the garbage collector close the parts if the program drops this; null as long as they are. */
    private Cleaner.Cleanable dropped;

    /** The core's stream; written once, when this is connected. */
    private volatile PlainStream stream;
    /** The transfers over the link in use; written when the first byte goes over it. */
    private volatile LinkTransfers transfers;

    /** Whether a read has met the end; all later reads then do, even after a close. */
    private volatile boolean ended;

    private volatile int timeoutMillis;
    private volatile boolean urgentInline;

    AccelSocketImpl(Accelerator accelerator, boolean asksForProxies) {
        this.accelerator = accelerator;
        this.asksForProxies = asksForProxies;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        if (stream) {
            KernelSocket unused = kernel();
            return;
        }
        synchronized (this) {
            datagrams = true;
            kernel = KernelSocket.openForDatagrams(asksForProxies);
        }
    }

    private synchronized KernelSocket kernel() throws IOException {
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (kernel == null) {
            kernel = KernelSocket.open(asksForProxies);
        }
        return kernel;
    }

    // ---- connecting

    @Override
    protected void connect(String host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(InetAddress host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(SocketAddress remote, int millis) throws IOException {
        if (!(remote instanceof InetSocketAddress destination)) {
            throw new IOException("Unsupported address type");
        }
        boolean direct = !destination.isUnresolved() && !(asksForProxies && Proxies.isProxied(destination));
        try {
            KernelSocket connecting = kernel();
            try {
                connecting.connect(destination, millis);
            } catch (IOException e) {
                connecting = connectAgain(e, destination, millis);
            }
            adopt(connecting);
            if (direct && !isForDatagrams()) {
                PlainStream connected = new PlainStream(accelerator, new SocketAnchor(connecting));
                watch(connected, connecting);
                connected.connected();
                if (urgentInline) {
                    connected.socket().wantUrgentInline(true);
                }
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
        closeIfClosed();
    }

    private synchronized boolean isForDatagrams() {
        return datagrams;
    }

    /** Tries again if something was lacking that links have. The JDK has closed the socket whose connect has failed. */
    private KernelSocket connectAgain(IOException failure, InetSocketAddress destination, int millis)
            throws IOException {
        if (isPrepared()) {
            throw Relief.forNext(failure, accelerator.waits());
        }
        return Relief.again(failure, () -> connectAnother(destination, millis), accelerator.waits());
    }

    private synchronized boolean isPrepared() {
        return prepared;
    }

    private synchronized void prepare() {
        prepared = true;
    }

    /** Connects another socket in place of one of which the program has set nothing. */
    private KernelSocket connectAnother(InetSocketAddress destination, int millis) throws IOException {
        KernelSocket another;
        synchronized (this) {
            if (closed) {
                throw new SocketException("Socket closed");
            }
            kernel = datagrams ? KernelSocket.openForDatagrams(asksForProxies) : KernelSocket.open(asksForProxies);
            another = kernel;
        }
        another.connect(destination, millis);
        return another;
    }

    private void adopt(KernelSocket connected) {
        address = connected.getInetAddress();
        port = connected.getPort();
        localport = connected.getLocalPort();
    }

    /** Takes over a connection that a listener has accepted. */
    void adopt(PlainStream known, KernelSocket accepted) {
        synchronized (this) {
            kernel = accepted;
        }
        watch(known, accepted);
        adopt(accepted);
        closeIfClosed();
    }

    /**
     * Has the garbage collector close a dropped connection. Daemons hold its parts, so that they would not be closed like a socket of
     * the JDK's.
     */
    private void watch(PlainStream connected, KernelSocket by) {
        stream = connected;
        SocketParts parts = new SocketParts(connected, by);
        Cleaner.Cleanable watched = Dropped.watch(this, parts);
        synchronized (this) {
            inside = parts;
            dropped = watched;
        }
    }

    /** Closes the connection if a close came before it was known here, and so did not find it. */
    private void closeIfClosed() {
        Cleaner.Cleanable late;
        synchronized (this) {
            late = closed ? dropped : null;
        }
        if (late != null) {
            late.clean();
        }
    }

    @Override
    protected void bind(InetAddress host, int wanted) throws IOException {
        KernelSocket bound = kernel();
        prepare();
        Relief.run( // a bind opens the JDK's socket, if no option has
                () -> {
                    bound.bind(new InetSocketAddress(host, wanted));
                    return null;
                },
                accelerator);
        localport = bound.getLocalPort();
    }

    @Override
    protected void listen(int backlog) {
        throw new IllegalStateException("a client's socket does not listen");
    }

    @Override
    protected void accept(SocketImpl s) {
        throw new IllegalStateException("a client's socket does not accept");
    }

    // ---- moving bytes

    @Override
    protected InputStream getInputStream() throws IOException {
        KernelSocket open = kernel();
        return stream == null ? open.rawInput() : new SocketImplInput(this);
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        KernelSocket open = kernel();
        return stream == null ? open.rawOutput() : new SocketImplOutput(this);
    }

    /** Reads at least a byte; returns -1 at the end. */
    int read(byte[] b, int off, int len) throws IOException {
        if (ended) {
            return -1;
        }
        int limit = timeoutMillis; // as in the JDK, a timeout that is set meanwhile is the next read's
        long start = limit > 0 ? System.nanoTime() : 0;
        if (stream.socketOrNull() == null && stream.beginRead()) {
            int n = readPlain(b, off, len);
            if (n != 0) {
                return n;
            }
        }
        return readStream(b, off, len, limit, start);
    }

    /**
     * Reads from the kernel, and goes on with a socket that others have made meanwhile, or that an error asks for.
     *
     * @return as {@link #read}; 0 if the bytes come over a link now
     */
    private int readPlain(byte[] b, int off, int len) throws IOException {
        int n = 0;
        IOException failure = null;
        boolean goesOn;
        boolean isOver = false;
        try {
            try {
                n = raw().rawInput().read(b, off, len);
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException e) {
                failure = e;
            }
            goesOn = failure != null || !stream.endRead(n);
            if (goesOn) {
                StreamSocket unused = stream.socket(); // keeps others out until this thread has entered its half
            }
            isOver = true;
        } finally {
            if (!isOver) {
                stream.leaveRead();
            }
        }
        if (goesOn) {
            return endEarly(n, failure, ByteBuffer.wrap(b, off, len));
        }
        if (n < 0) {
            if (isClosed()) {
                throw LinkTransfers.toSocketException(new AsynchronousCloseException());
            }
            ended = true;
        }
        return n;
    }

    /** Ends a read from the kernel that has begun before there was a socket. */
    private int endEarly(int came, IOException failure, ByteBuffer dst) throws IOException {
        Incoming in = stream.socket().incoming();
        in.adopt();
        try {
            if (failure != null) {
                throw failure;
            }
            int n = account(in, came, dst);
            if (n == -1) {
                ended = true;
            }
            return n == LinkStream.MOVED ? 0 : n;
        } catch (IOException e) {
            return failed(in, e);
        } finally {
            in.leave();
        }
    }

    private int readStream(byte[] b, int off, int len, int limit, long start) throws IOException {
        Incoming in = stream.socket().incoming();
        int n;
        do {
            LinkStream link = in.link();
            if (link == null) {
                n = readKernel(in, b, off, len, limit);
                link = in.link();
                if (n == LinkStream.MOVED) {
                    continue;
                }
                if (n != 0 || link == null) {
                    return n;
                }
            }
            int left = limit > 0 ? (int) Math.max(1, limit - (System.nanoTime() - start) / 1_000_000) : 0;
            n = transfers(link).read(b, off, len, left);
        } while (n == LinkStream.MOVED);
        if (n == -1) {
            ended = true;
        }
        return n;
    }

    private int readKernel(Incoming in, byte[] b, int off, int len, int limit) throws IOException {
        if ((limit > 0 ? in.enter(limit * 1_000_000L) : in.enter()) != null) {
            return 0;
        }
        try {
            int n = ended ? -1 : readEntered(in, b, off, len);
            if (n == -1) {
                ended = true; // set before another reader enters, which may find the socket closed
            }
            return n;
        } finally {
            in.leave();
        }
    }

    private int readEntered(Incoming in, byte[] b, int off, int len) throws IOException {
        try {
            ByteBuffer dst = ByteBuffer.wrap(b, off, len);
            int aside = stream.socket().isInputShut() || raw().isClosed() ? 0 : in.readAside(dst);
            if (aside > 0) {
                return aside;
            }
            return account(in, raw().rawInput().read(b, off, len), dst);
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            return failed(in, e);
        }
    }

    /** Accounts for a read from the kernel, in the reading half of its path. */
    private int account(Incoming in, int n, ByteBuffer dst) throws IOException {
        StreamSocket socket = stream.socket();
        if (n < 0 && socket.isClosed()) {
            throw new AsynchronousCloseException();
        }
        return n < 0 && socket.isInputShut() ? -1 : in.took(n, dst.position(dst.position() + Math.max(0, n)));
    }

    /** What a read that the kernel has failed comes to. */
    private int failed(Incoming in, IOException e) throws IOException {
        // A close tells the peer before it closes the kernel's socket, so the peer's answer does not matter.
        if (stream.socket().isClosed()) {
            throw LinkTransfers.toSocketException(new AsynchronousCloseException());
        }
        return in.failed(e);
    }

    /** Writes all bytes. */
    void write(byte[] b, int off, int len) throws IOException {
        if (stream.socketOrNull() == null && stream.beginWrite()) {
            writePlain(b, off, len);
        } else {
            writeStream(b, off, len);
        }
    }

    /** As {@link #readPlain}. */
    private void writePlain(byte[] b, int off, int len) throws IOException {
        IOException failure = null;
        boolean isOver = false;
        try {
            try {
                raw().rawOutput().write(b, off, len);
            } catch (IOException e) {
                failure = e;
            }
            if (failure == null && stream.endWrite(len)) {
                isOver = true;
                return;
            }
            StreamSocket unused = stream.socket();
            isOver = true;
        } finally {
            if (!isOver) {
                stream.leaveWrite();
            }
        }
        Outgoing out = stream.socket().outgoing();
        out.adopt();
        try {
            if (failure != null) {
                throw failed(out, failure);
            }
            out.gave(len, b, off);
        } finally {
            out.leave();
        }
    }

    private void writeStream(byte[] b, int off, int len) throws IOException {
        Outgoing out = stream.socket().outgoing();
        int done;
        do {
            LinkStream link = out.link();
            link = link != null ? link : out.enter(true);
            done = link == null ? 0 : transfers(link).write(b, off, len, out);
            if (done == len && link != null) {
                return;
            }
        } while (done == LinkStream.MOVED);
        try {
            if (done < len) {
                out.failIfReset();
            }
            raw().rawOutput().write(b, off + done, len - done);
            out.gave(len - done, b, off + done);
        } catch (IOException e) {
            throw failed(out, e);
        } finally {
            out.leave();
        }
    }

    /** As the other. */
    private IOException failed(Outgoing out, IOException e) throws IOException {
        // A close shuts down the kernel's output, so that the stream ends in order, before it closes the kernel's
        // socket.
        return LinkTransfers.toSocketException(
                stream.socket().isClosed() ? new AsynchronousCloseException() : out.failed(e));
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** The core's socket; null if there is none so far. */
    private StreamSocket socketOrNull() {
        PlainStream connected = stream;
        return connected == null ? null : connected.socketOrNull();
    }

    /** Returns the JDK's socket, even if it is closed, so that its own operations report that. */
    private synchronized KernelSocket raw() {
        return kernel;
    }

    private LinkTransfers transfers(LinkStream link) {
        LinkTransfers known = transfers;
        if (known == null || known.link() != link) {
            synchronized (this) {
                if (transfers == null || transfers.link() != link) {
                    transfers = new LinkTransfers(accelerator.waits(), link);
                }
                known = transfers;
            }
        }
        return known;
    }

    @Override
    protected int available() throws IOException {
        KernelSocket open = kernel();
        StreamSocket connected = socketOrNull();
        return connected == null || open.isInputShutdown()
                ? open.rawInput().available()
                : connected.incoming().available();
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        KernelSocket open = kernel();
        if (stream == null) {
            open.sendUrgentData(data);
            return;
        }
        StreamSocket connected = stream.socket();
        Outgoing out = connected.outgoing();
        LinkStream link = out.fix();
        link = link != null ? link : out.enter(false);
        if (link != null) {
            transfers(link).sendUrgent(data);
            return;
        }
        try {
            open.sendUrgentData(data);
        } catch (IOException e) {
            throw connected.isClosed() ? e : out.failed(e);
        } finally {
            out.leave();
        }
    }

    // ---- shutting down and closing

    @Override
    protected void shutdownInput() throws IOException {
        KernelSocket open = kernel();
        open.shutdownInput();
        if (stream != null) {
            stream.socket().shutdownInput();
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        KernelSocket open = kernel();
        if (stream == null) {
            open.shutdownOutput();
        } else {
            stream.socket().shutdownOutput();
        }
    }

    @Override
    protected void close() throws IOException {
        KernelSocket open;
        SocketParts parts;
        Cleaner.Cleanable watched;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = kernel;
            parts = inside;
            watched = dropped;
        }
        if (parts != null) {
            parts.close();
            watched.clean();
        } else if (open != null) {
            open.close();
        }
    }

    // ---- options

    @Override
    public void setOption(int option, Object value) throws SocketException {
        withOptions(new Setting(this, option, value));
        if (option == SocketOptions.SO_TIMEOUT) {
            timeoutMillis = (Integer) value;
        } else if (option == SocketOptions.SO_OOBINLINE) {
            urgentInline = (Boolean) value;
            PlainStream connected = stream;
            if (connected != null && (urgentInline || connected.socketOrNull() != null)) {
                connected.socket().wantUrgentInline(urgentInline);
            }
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        return withOptions(() -> KernelOptions.get(optionsOf(), option));
    }

    /** A change of an option. It is no lambda: a program's first socket would wait for that to be linked. */
    private record Setting(AccelSocketImpl of, int option, Object value) implements Relief.Operation<Void> {
        @Override
        public Void run() throws IOException {
            KernelOptions.set(of.optionsOf(), option, value);
            return null;
        }
    }

    /** Before it is connected, nobody else changes options, and the first of them opens the JDK's socket. */
    private <T> T withOptions(Relief.Operation<T> action) throws SocketException {
        try {
            return withAnyOptions(action);
        } catch (SocketException e) {
            throw e;
        } catch (IOException e) {
            throw (SocketException) new SocketException(e.getMessage()).initCause(e);
        }
    }

    private <T> T withAnyOptions(Relief.Operation<T> action) throws IOException {
        PlainStream connected = stream;
        if (connected == null) {
            prepare();
            return Relief.run(action, accelerator);
        }
        synchronized (connected.optionsMonitor()) {
            return action.run();
        }
    }

    private KernelSocket optionsOf() throws SocketException {
        try {
            return kernel();
        } catch (SocketException e) {
            throw e;
        } catch (IOException e) {
            throw (SocketException) new SocketException(e.getMessage()).initCause(e);
        }
    }

    @Override
    protected <T> void setOption(SocketOption<T> option, T value) throws IOException {
        Object unused = withAnyOptions(() -> kernel().setOption(option, value));
    }

    @Override
    protected <T> T getOption(SocketOption<T> option) throws IOException {
        return withAnyOptions(() -> kernel().getOption(option));
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        try (KernelSocket unused = KernelSocket.open(false)) {
            return unused.supportedOptions();
        } catch (IOException e) {
            return Set.of(); // the process is out of descriptors: no option can be read
        }
    }
}
