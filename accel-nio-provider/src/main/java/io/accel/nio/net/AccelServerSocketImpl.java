package io.accel.nio.net;

import io.accel.core.socket.Accelerator;
import io.accel.core.socket.StreamListener;
import io.accel.core.socket.StreamSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A {@link java.net.ServerSocket}'s inside: a listener of the JDK's, which has the port, and beside it one that takes
 * connections from the fabrics. If no fabric serves it, accepting is the JDK's alone.
 */
final class AccelServerSocketImpl extends SocketImpl {
    /** How many accelerated connections are accepted in turn before one of the kernel's is looked for. */
    private static final int IN_TURN = 16;
    /** How long the kernel's listener may take to give a connection that it says to have. */
    private static final int KERNEL_MILLIS = 1;

    private static final long UNWATCH_NANOS = 1_000_000_000L;

    private final Accelerator accelerator;
    private final KernelServerSocket kernel = KernelServerSocket.open();
    private final ReentrantLock acceptLock = new ReentrantLock();

    /** Where to bind, until that is done. */
    private InetSocketAddress wanted;
    /** Written once, by listen. */
    private volatile StreamListener listener;

    private volatile boolean closed;
    private volatile int timeoutMillis;
    /** Guarded by the lock. */
    private int inTurn;

    AccelServerSocketImpl(Accelerator accelerator) {
        this.accelerator = accelerator;
    }

    @Override
    protected void create(boolean stream) throws IOException {
        if (!stream) {
            throw new SocketException("a listener takes streams only");
        }
    }

    /** The JDK binds and listens in one, so this only remembers where. */
    @Override
    protected void bind(InetAddress host, int port) {
        wanted = new InetSocketAddress(host, port);
    }

    @Override
    protected void listen(int backlog) throws IOException {
        kernel.bind(wanted, backlog);
        address = wanted.getAddress();
        localport = kernel.getLocalPort();
        StreamListener opened = new StreamListener(accelerator, kernel.readable());
        try {
            opened.bound((InetSocketAddress) kernel.getLocalSocketAddress(), backlog);
        } catch (IOException e) {
            kernel.close();
            throw e;
        }
        listener = opened;
    }

    // ---- accepting

    @Override
    protected void accept(SocketImpl s) throws IOException {
        if (!(s instanceof AccelSocketImpl accepted)) {
            throw new IOException("Accel's listener cannot accept a connection into "
                    + s.getClass().getName());
        }
        if (!listener.isAccelerated()) {
            kernel.setSoTimeout(timeoutMillis);
            adopt(accepted, kernel.accept());
            return;
        }
        long start = System.nanoTime();
        int timeout = timeoutMillis;
        Interrupts interrupts = new Interrupts();
        lock(timeout, interrupts);
        try {
            while (!acceptOne(accepted)) {
                if (closed) {
                    throw new SocketException("Socket closed");
                }
                long left = timeout == 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(timeout) - (System.nanoTime() - start);
                if (timeout != 0 && left <= 0) {
                    throw new SocketTimeoutException("Accept timed out");
                }
                interrupts.check();
                accelerator.waits().await(listener, SelectionKey.OP_ACCEPT, left);
            }
        } finally {
            acceptLock.unlock();
            interrupts.restore();
        }
    }

    private void lock(int timeout, Interrupts interrupts) throws IOException {
        if (timeout == 0) {
            acceptLock.lock();
            return;
        }
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeout);
        while (true) {
            interrupts.check();
            try {
                if (acceptLock.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    return;
                }
                interrupts.restore();
                throw new SocketTimeoutException("Accept timed out");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // which the check takes note of
            }
        }
    }

    private boolean acceptOne(AccelSocketImpl accepted) throws IOException {
        boolean kernelReady = listener.takeKernelReady() || ++inTurn >= IN_TURN;
        if (kernelReady) {
            inTurn = 0;
            KernelSocket fromKernel = acceptFromKernel();
            if (fromKernel != null) {
                adopt(accepted, fromKernel);
                return true;
            }
        }
        StreamSocket arrived = listener.acceptArrived();
        if (arrived != null) {
            accepted.adoptLink(arrived, arrived.linkRemote());
        }
        return arrived != null;
    }

    private KernelSocket acceptFromKernel() throws IOException {
        try {
            kernel.setSoTimeout(KERNEL_MILLIS);
            return kernel.accept();
        } catch (SocketTimeoutException e) {
            return null; // its client has given up
        } catch (SocketException e) {
            if (closed) {
                throw new SocketException("Socket closed");
            }
            throw e;
        }
    }

    private void adopt(AccelSocketImpl accepted, KernelSocket fromKernel) {
        StreamSocket known = listener.acceptedByKernel(fromKernel.local(), fromKernel.remote());
        accepted.adoptKernel(known, fromKernel);
    }

    @Override
    protected void close() throws IOException {
        closed = true;
        StreamListener open = listener;
        if (open != null) {
            open.close();
            // A selector that still watched the descriptor might later take another's of the same number for it.
            long start = System.nanoTime();
            while (!open.isUnwatched() && System.nanoTime() - start < UNWATCH_NANOS) {
                Thread.yield();
            }
        }
        kernel.close();
    }

    // ---- options

    @Override
    public void setOption(int option, Object value) throws SocketException {
        switch (option) {
            case SocketOptions.SO_TIMEOUT -> timeoutMillis = (Integer) value;
            case SocketOptions.SO_REUSEADDR -> kernel.setReuseAddress((Boolean) value);
            case SocketOptions.SO_RCVBUF -> kernel.setReceiveBufferSize((Integer) value);
            default -> throw new SocketException("Unknown option " + option);
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        return switch (option) {
            case SocketOptions.SO_TIMEOUT -> timeoutMillis;
            case SocketOptions.SO_REUSEADDR -> kernel.getReuseAddress();
            case SocketOptions.SO_RCVBUF -> kernel.getReceiveBufferSize();
            case SocketOptions.SO_BINDADDR -> kernel.getInetAddress();
            default -> throw new SocketException("Unknown option " + option);
        };
    }

    @Override
    protected <T> void setOption(SocketOption<T> option, T value) throws IOException {
        kernel.setOption(option, value);
    }

    @Override
    protected <T> T getOption(SocketOption<T> option) throws IOException {
        return kernel.getOption(option);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        return kernel.supportedOptions();
    }

    // ---- what a listener does not do

    private static SocketException notAListeners() {
        return new SocketException("a listener carries no bytes");
    }

    @Override
    protected void connect(String host, int port) throws IOException {
        throw notAListeners();
    }

    @Override
    protected void connect(InetAddress host, int port) throws IOException {
        throw notAListeners();
    }

    @Override
    protected void connect(SocketAddress remote, int timeout) throws IOException {
        throw notAListeners();
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        throw notAListeners();
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        throw notAListeners();
    }

    @Override
    protected int available() throws IOException {
        throw notAListeners();
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        throw notAListeners();
    }
}
