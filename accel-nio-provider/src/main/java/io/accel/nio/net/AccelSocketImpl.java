package io.accel.nio.net;

import io.accel.core.socket.Accelerator;
import io.accel.core.socket.LinkStream;
import io.accel.core.socket.StreamSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A {@link java.net.Socket}'s inside. There is always a socket of the JDK's: it is the connection if that goes by the kernel, and
 * otherwise lends it its port and keeps its options.
 *
 * <p>As the JDK's own: reads, writes, connects and closes may come from different threads; a close ends what waits with
 * "Socket closed"; an interrupt ends nothing, but for virtual threads.
 */
final class AccelSocketImpl extends SocketImpl {
    private final Accelerator accelerator;

    // Guarded by this.
    private KernelSocket kernel;
    private boolean closed;
    private StreamSocket socket;

    /** The accelerated connection; null if there is none. Written once. */
    private volatile LinkTransfers transfers;

    /** Written with {@link #transfers}, before it. */
    private LinkStream link;

    private volatile int timeoutMillis;
    private volatile int linger = -1;
    private volatile boolean urgentInline;

    AccelSocketImpl(Accelerator accelerator) {
        this.accelerator = accelerator;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        if (!stream) {
            throw new SocketException("java.net.Socket makes no datagrams under Accel's agent; use DatagramSocket");
        }
        KernelSocket unused = kernel();
    }

    private synchronized KernelSocket kernel() throws IOException {
        if (closed) {
            throw new SocketException("Socket closed");
        }
        if (kernel == null) {
            kernel = new KernelSocket();
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
        long start = System.nanoTime();
        try {
            boolean direct = !destination.isUnresolved() && !Proxies.isProxied(destination);
            if (!direct || !connectByFabric(destination, start, millis)) {
                connectKernel(destination, start, millis);
            }
        } catch (IOException | RuntimeException e) {
            close();
            boolean interrupted = e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException);
            if (interrupted) {
                throw new SocketException(e.getMessage());
            }
            throw e;
        }
    }

    private boolean connectByFabric(InetSocketAddress destination, long start, int millis) throws IOException {
        InetSocketAddress there = destination.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLocalHost(), destination.getPort())
                : destination;
        StreamSocket candidate = new StreamSocket(accelerator, null);
        synchronized (this) {
            if (closed) {
                throw new SocketException("Socket closed");
            }
            socket = candidate;
        }
        if (!candidate.connect(there, this::bindTo) || !awaitHandshake(candidate, start, millis)) {
            return false;
        }
        adoptLink(candidate, there);
        return true;
    }

    private boolean awaitHandshake(StreamSocket candidate, long start, int millis) throws IOException {
        Interrupts interrupts = new Interrupts();
        try {
            while (true) {
                if (candidate.isClosed()) {
                    throw new SocketException("Socket closed");
                }
                if (candidate.finishConnect()) {
                    return true;
                }
                if (candidate.takeFallback()) {
                    return false;
                }
                long left = millis == 0 ? -1 : left(start, millis);
                interrupts.check();
                accelerator.waits().await(candidate, SelectionKey.OP_CONNECT, left);
            }
        } finally {
            interrupts.restore();
        }
    }

    private static long left(long start, int millis) throws SocketTimeoutException {
        long left = TimeUnit.MILLISECONDS.toNanos(millis) - (System.nanoTime() - start);
        if (left <= 0) {
            throw new SocketTimeoutException("Connect timed out");
        }
        return left;
    }

    private void connectKernel(InetSocketAddress destination, long start, int millis) throws IOException {
        KernelSocket connecting = kernel();
        int left = millis == 0 ? 0 : (int) (left(start, millis) / 1_000_000) + 1;
        connecting.connect(destination, left);
        address = connecting.getInetAddress();
        port = connecting.getPort();
        localport = connecting.getLocalPort();
        synchronized (this) {
            if (socket != null) {
                socket.kernelConnected(connecting.local());
            }
        }
    }

    /** Gives the connection the local address that the kernel would have given it. */
    private InetSocketAddress bindTo(InetAddress source) throws IOException {
        KernelSocket lender = kernel();
        if (!lender.isBound()) {
            lender.bind(new InetSocketAddress(source, 0));
            socket.ensureOther(lender.local());
        }
        InetSocketAddress local = lender.local();
        return local.getAddress().isAnyLocalAddress() ? new InetSocketAddress(source, local.getPort()) : local;
    }

    /** A listener has accepted this from the kernel. */
    void adoptKernel(StreamSocket known, KernelSocket accepted) {
        synchronized (this) {
            socket = known;
            kernel = accepted;
        }
        address = accepted.getInetAddress();
        port = accepted.getPort();
        localport = accepted.getLocalPort();
    }

    /** This is an accelerated connection from now on. */
    void adoptLink(StreamSocket established, InetSocketAddress remote) {
        address = remote.getAddress();
        port = remote.getPort();
        localport = established.linkLocal().getPort();
        synchronized (this) {
            socket = established;
            link = established.stream();
            transfers = new LinkTransfers(accelerator, established);
        }
        if (urgentInline) {
            link.wantUrgentInline();
        }
    }

    @Override
    protected void bind(InetAddress host, int wanted) throws IOException {
        KernelSocket bound = kernel();
        bound.bind(new InetSocketAddress(host, wanted));
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

    int timeoutMillis() {
        return timeoutMillis;
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        LinkTransfers accelerated = transfers;
        return accelerated == null ? kernel().rawInput() : new LinkInput(this, accelerated);
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        LinkTransfers accelerated = transfers;
        return accelerated == null ? kernel().rawOutput() : new LinkOutput(this, accelerated);
    }

    @Override
    protected int available() throws IOException {
        if (transfers == null) {
            return kernel().rawInput().available();
        }
        ensureOpen();
        return link.available();
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        LinkTransfers accelerated = transfers;
        if (accelerated == null) {
            kernel().sendUrgentData(data);
        } else {
            ensureOpen();
            accelerated.sendUrgent(data);
        }
    }

    private synchronized void ensureOpen() throws SocketException {
        if (closed) {
            throw new SocketException("Socket closed");
        }
    }

    // ---- shutting down and closing

    @Override
    protected void shutdownInput() throws IOException {
        if (transfers == null) {
            kernel().shutdownInput();
        } else {
            ensureOpen();
            link.shutdownInput();
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        if (transfers == null) {
            kernel().shutdownOutput();
        } else {
            ensureOpen();
            link.shutdownOutput();
        }
    }

    @Override
    protected void close() throws IOException {
        StreamSocket open;
        KernelSocket lender;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            open = socket;
            lender = kernel;
        }
        if (open != null) {
            // As the JDK's: the stream ends in order before the socket closes, so unread bytes make it no reset.
            open.close(linger == 0, linger != 0);
        }
        if (lender != null) {
            lender.close();
        }
    }

    // ---- options

    @Override
    public void setOption(int option, Object value) throws SocketException {
        KernelOptions.set(optionsOf(), option, value);
        switch (option) {
            case SocketOptions.SO_TIMEOUT -> timeoutMillis = (Integer) value;
            case SocketOptions.SO_LINGER -> linger = optionsOf().getSoLinger();
            case SocketOptions.SO_OOBINLINE -> urgentInline((Boolean) value);
            default -> {}
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        if (option == SocketOptions.SO_BINDADDR && transfers != null) {
            InetSocketAddress local;
            synchronized (this) {
                local = socket.linkLocal();
            }
            return local.getAddress();
        }
        return KernelOptions.get(optionsOf(), option);
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

    private void urgentInline(boolean on) {
        urgentInline = on;
        if (on && transfers != null) {
            link.wantUrgentInline();
        }
    }

    @Override
    protected <T> void setOption(SocketOption<T> option, T value) throws IOException {
        kernel().setOption(option, value);
        if (StandardSocketOptions.SO_LINGER.equals(option)) {
            linger = kernel().getSoLinger();
        }
    }

    @Override
    protected <T> T getOption(SocketOption<T> option) throws IOException {
        return kernel().getOption(option);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        try (KernelSocket unused = new KernelSocket()) {
            return unused.supportedOptions();
        } catch (IOException e) {
            return Set.of(); // out of descriptors: no option can be had
        }
    }
}
