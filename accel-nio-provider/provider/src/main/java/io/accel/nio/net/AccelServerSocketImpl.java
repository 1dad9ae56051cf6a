// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.daemon.Dropped;
import io.accel.core.socket.Accelerator;
import io.accel.core.socket.PlainStream;
import io.accel.core.socket.Relief;
import io.accel.core.socket.StreamListener;
import java.io.Closeable;
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
import java.util.Set;
import java.util.function.Supplier;

/**
 * The implementation of a {@link java.net.ServerSocket}: a listener of the JDK's, which does everything, and beside it the listener
 * that lets clients find accelerated connections.
 */
final class AccelServerSocketImpl extends SocketImpl implements Supplier<SocketImpl> {
    private final Accelerator accelerator;
    private final KernelServerSocket kernel;
    private final StreamListener listener;
    private final Accept accept;

    /** The address to bind to, until that is done. */
    private InetSocketAddress wanted;
    /** Lets the garbage collector close this if the program drops it; null until it listens. */
    private volatile Cleaner.Cleanable dropped;

    AccelServerSocketImpl(Accelerator accelerator) {
        this(accelerator, KernelServerSocket.open());
    }

    AccelServerSocketImpl(Accelerator accelerator, KernelServerSocket kernel) {
        this.accelerator = accelerator;
        this.kernel = kernel;
        this.accept = new Accept(kernel);
        this.listener = new StreamListener(accelerator);
    }

    @Override
    protected void create(boolean stream) throws IOException {
        if (!stream) {
            throw new SocketException("a listener takes streams only");
        }
    }

    /** Only remembers the address, as the JDK binds and listens in one step. */
    @Override
    protected void bind(InetAddress host, int port) {
        wanted = new InetSocketAddress(host, port);
    }

    @Override
    protected void listen(int backlog) throws IOException {
        KernelServerSocket unused = Relief.run(new Bind(kernel, wanted, backlog), accelerator);
        address = wanted.getAddress();
        localport = kernel.getLocalPort();
        try {
            listener.bound(kernel.local());
        } catch (IOException e) {
            kernel.close();
            throw e;
        }
        dropped = Dropped.watch(this, new Inside(listener, kernel));
    }

    /**
     * Makes the implementation of a socket that is about to be accepted. Called by the JDK, as the agent has changed it, since a program
     * may have a factory of its own.
     */
    @Override
    public SocketImpl get() {
        return new AccelSocketImpl(accelerator, false);
    }

    /** Binds the JDK's listener. Like {@link Accept} it is no lambda: a program's first listener would wait for that to be linked. */
    private record Bind(KernelServerSocket kernel, InetSocketAddress wanted, int backlog)
            implements Relief.Operation<KernelServerSocket> {
        @Override
        public KernelServerSocket run() throws IOException {
            kernel.bind(wanted, backlog);
            return kernel;
        }
    }

    /** Accepts a connection. */
    private record Accept(KernelServerSocket kernel) implements Relief.Operation<KernelSocket> {
        @Override
        public KernelSocket run() throws IOException {
            return kernel.accept();
        }
    }

    @Override
    protected void accept(SocketImpl s) throws IOException {
        if (!(s instanceof AccelSocketImpl accepted)) {
            throw new IOException("Accel's listener cannot accept a connection into "
                    + s.getClass().getName());
        }
        KernelSocket connected = Relief.run(accept, accelerator);
        PlainStream stream = null;
        boolean taken = false;
        try {
            stream = listener.acceptedPlain(new SocketAnchor(connected));
            accepted.adopt(stream, connected);
            taken = true;
        } finally {
            if (!taken) {
                StreamListener.drop(stream, connected);
            }
        }
    }

    @Override
    protected void close() throws IOException {
        new Inside(listener, kernel).close();
        Cleaner.Cleanable watched = dropped;
        if (watched != null) {
            watched.clean();
        }
    }

    /** The parts of a listener to close. */
    private record Inside(StreamListener listener, KernelServerSocket kernel) implements Closeable {
        @Override
        public void close() throws IOException {
            try {
                listener.close();
            } finally {
                kernel.close();
            }
        }
    }

    // ---- options, the first of which opens the JDK's listener

    @Override
    public void setOption(int option, Object value) throws SocketException {
        withOptions(new Setting(kernel, option, value));
    }

    /** Sets an option, which is what many programs do before anything else; no lambda either. */
    private record Setting(KernelServerSocket kernel, int option, Object value) implements Relief.Operation<Void> {
        @Override
        public Void run() throws IOException {
            switch (option) {
                case SocketOptions.SO_TIMEOUT -> kernel.setSoTimeout((Integer) value);
                case SocketOptions.SO_REUSEADDR -> kernel.setReuseAddress((Boolean) value);
                case SocketOptions.SO_RCVBUF -> kernel.setReceiveBufferSize((Integer) value);
                default -> throw new SocketException("Unknown option " + option);
            }
            return null;
        }
    }

    @Override
    public Object getOption(int option) throws SocketException {
        return withOptions(() -> switch (option) {
            case SocketOptions.SO_TIMEOUT -> kernel.getSoTimeout();
            case SocketOptions.SO_REUSEADDR -> kernel.getReuseAddress();
            case SocketOptions.SO_RCVBUF -> kernel.getReceiveBufferSize();
            case SocketOptions.SO_BINDADDR -> kernel.getInetAddress();
            default -> throw new SocketException("Unknown option " + option);
        });
    }

    private <T> T withOptions(Relief.Operation<T> action) throws SocketException {
        try {
            return Relief.run(action, accelerator);
        } catch (SocketException e) {
            throw e;
        } catch (IOException e) {
            throw (SocketException) new SocketException(e.getMessage()).initCause(e);
        }
    }

    @Override
    protected <T> void setOption(SocketOption<T> option, T value) throws IOException {
        Object unused = Relief.run(() -> kernel.setOption(option, value), accelerator);
    }

    @Override
    protected <T> T getOption(SocketOption<T> option) throws IOException {
        return Relief.run(() -> kernel.getOption(option), accelerator);
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
