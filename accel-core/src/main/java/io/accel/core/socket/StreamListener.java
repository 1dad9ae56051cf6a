package io.accel.core.socket;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.poll.Registration;
import io.accel.profile.Role;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * A listener that takes connections from the kernel and from every fabric that the rules allow, and hands over whichever
 * comes. Thread-safe.
 */
public final class StreamListener implements BlockingWaits.Waitable {
    /** Clients come faster than over TCP; a program's backlog of a few would turn most of a burst away. */
    private static final int LEAST_BACKLOG = 1024;

    private static final PathInfo UNASKED = new PathInfo(
            "kernel",
            FallbackReason.PEER_NOT_ACCELERATED,
            "the client came by the kernel; if it runs Accel, its own log and metrics say why");

    private final Accelerator accelerator;
    /** Null if the adapter's kernel listener is no channel. */
    private final ServerSocketChannel kernel;
    /** Stands for the kernel's listener in selectors. */
    private final SelectableChannel watched;

    private final Queue<StreamSocket> arrived = new ConcurrentLinkedQueue<>();
    /** Arrived ones and those in a handshake that has its place. */
    private final AtomicInteger places = new AtomicInteger();

    private final Shares shares = new Shares();
    /** Guarded by this. */
    private final List<Fabric.Listening> open = new ArrayList<>();

    private volatile boolean closed;
    /** See {@link #takeKernelReady}. */
    private volatile boolean kernelReady;

    private volatile boolean accelerated;
    /** Why connections are the kernel's while no fabric serves this. */
    private volatile PathInfo unopened = PathInfo.KERNEL;
    /** Whose turn it is when both sources may have a connection; a hint, so racing writes do no harm. */
    private boolean kernelFirst;

    /**
     * A listener that is not bound.
     *
     * @param accelerator the profile at work
     * @param kernel the JDK's channel; the caller owns it
     */
    public StreamListener(Accelerator accelerator, ServerSocketChannel kernel) {
        this.accelerator = accelerator;
        this.kernel = kernel;
        this.watched = kernel;
    }

    /**
     * A listener that is not bound, beside a kernel listener that is no channel. Its connections are the adapter's to
     * accept: {@link #takeKernelReady} says when, {@link #acceptedByKernel} makes them known.
     *
     * @param accelerator the profile at work
     * @param readable becomes readable when the kernel has a connection; in non-blocking mode; the caller owns it
     */
    public StreamListener(Accelerator accelerator, SelectableChannel readable) {
        this.accelerator = accelerator;
        this.kernel = null;
        this.watched = readable;
    }

    /** The JDK's channel. In non-blocking mode if this {@link #isAccelerated} or is registered. */
    public ServerSocketChannel kernel() {
        return kernel;
    }

    /** Whether connections may come from a fabric, so that waiting for the kernel's alone is not enough. */
    public boolean isAccelerated() {
        return accelerated;
    }

    /**
     * Opens the listener to the fabrics, after the kernel's channel was bound.
     *
     * @param bound what it was bound to
     * @param backlog as the program gave it
     * @throws IOException if no fabric will serve and {@code fallback=fail}
     */
    public synchronized void bound(InetSocketAddress bound, int backlog) throws IOException {
        int limit = Math.max(backlog, LEAST_BACKLOG);
        List<Fabric> candidates = accelerator.fabricsFor(Role.SERVER, bound);
        if (candidates.isEmpty()) {
            String rule = accelerator.ruleFor(Role.SERVER, bound);
            unopened = new PathInfo("kernel", FallbackReason.RULE, rule);
            accelerator.log().listening(bound, unopened);
        }
        FallbackException failure = null;
        for (Fabric fabric : candidates) {
            try {
                open.add(fabric.listen(bound, new Arrivals(fabric.name(), bound.getPort(), limit)));
                accelerator.log().listening(bound, new PathInfo(fabric.name(), null, null));
            } catch (FallbackException e) {
                failure = e;
                PathInfo why = new PathInfo("kernel", e.reason(), e.getMessage());
                // That there is no device says less than why a fabric that is there failed.
                unopened = unopened.reason() == null || e.reason() != FallbackReason.NO_DEVICE ? why : unopened;
                accelerator.log().listening(bound, why);
            }
        }
        accelerated = !open.isEmpty();
        if (accelerator.isFailing() && open.isEmpty() && failure != null) {
            throw new IOException(
                    "listener not accelerated, and fallback=fail: " + failure.reason() + ": " + failure.getMessage());
        }
    }

    /**
     * Takes a connection that is there.
     *
     * @return the connection, or null if there is none and the kernel's channel is in non-blocking mode
     * @throws IOException as {@link ServerSocketChannel#accept()}
     */
    public StreamSocket accept() throws IOException {
        if (!accelerated) {
            return acceptKernel();
        }
        kernelFirst = !kernelFirst;
        if (kernelFirst) {
            StreamSocket socket = acceptKernel();
            return socket != null ? socket : acceptArrived();
        }
        StreamSocket socket = acceptArrived();
        return socket != null ? socket : acceptKernel();
    }

    /** Takes a connection that a fabric brought; null if there is none. */
    public StreamSocket acceptArrived() {
        StreamSocket socket = arrived.poll();
        if (socket != null) {
            places.decrementAndGet();
        }
        return socket;
    }

    private StreamSocket acceptKernel() throws IOException {
        SocketChannel channel = kernel.accept();
        if (channel == null) {
            return null;
        }
        StreamSocket socket = new StreamSocket(accelerator, channel);
        socket.acceptedFromKernel(accelerated ? UNASKED : unopened);
        socket.logAccepted(channel.getLocalAddress(), channel.getRemoteAddress());
        return socket;
    }

    /** Whether a wait has found the kernel's listener, which is no channel, to have a connection; said once. */
    public boolean takeKernelReady() {
        boolean ready = kernelReady;
        kernelReady = false;
        return ready;
    }

    /**
     * The adapter has accepted a connection from its kernel listener, which is no channel.
     *
     * @param local its address at this end
     * @param remote its address at the other
     * @return what stands for it, to be closed with it
     */
    public StreamSocket acceptedByKernel(InetSocketAddress local, InetSocketAddress remote) {
        StreamSocket socket = new StreamSocket(accelerator, null);
        socket.kernelAccepted(local, remote);
        socket.acceptedFromKernel(accelerated ? UNASKED : unopened);
        socket.logAccepted(local, remote);
        return socket;
    }

    /** Whether no poller watches this any more, so that what {@link #watched()} stands for may be closed. */
    public boolean isUnwatched() {
        return shares.size() == 0;
    }

    /** Ends the fabrics' part, to be called before the kernel's channel is closed. Connections not accepted are reset. */
    public void close() {
        List<Fabric.Listening> toClose;
        synchronized (this) {
            closed = true;
            toClose = List.copyOf(open);
            open.clear();
        }
        for (Fabric.Listening listening : toClose) {
            listening.close();
        }
        shares.close();
        resetArrived();
    }

    /**
     * As {@link StreamSocket#endRegistrations}.
     *
     * @param over tells by the attachment
     */
    public void endRegistrations(Predicate<Object> over) {
        shares.end(over);
    }

    private void resetArrived() {
        for (StreamSocket socket = acceptArrived(); socket != null; socket = acceptArrived()) {
            socket.close(true, false);
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    // ---- for pollers

    @Override
    public SelectableChannel watched() {
        return watched;
    }

    @Override
    public int watchedOps(int interest) {
        return kernel != null || interest == 0 ? interest : SelectionKey.OP_READ;
    }

    @Override
    public boolean isPolled() {
        return !arrived.isEmpty();
    }

    @Override
    public int look(int interest) {
        return arrived.isEmpty() ? 0 : interest & SelectionKey.OP_ACCEPT;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        if (kernel != null) {
            return interest & watchedReady;
        }
        if (watchedReady == 0) {
            return 0;
        }
        kernelReady = true;
        return interest;
    }

    @Override
    public void arm(int interest) {
        // Nothing: every arrival refreshes the registrations.
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean retained(Registration registration) {
        return shares.add(registration);
    }

    @Override
    public void released(Registration registration) {
        shares.remove(registration);
        if (registration.attachment() instanceof BlockingWaits.Waiter waiter) {
            waiter.released();
        }
    }

    /** Where one fabric's connections arrive. */
    private final class Arrivals implements Fabric.Acceptor {
        private final String fabric;
        private final int port;
        private final int limit;

        Arrivals(String fabric, int port, int limit) {
            this.fabric = fabric;
            this.port = port;
            this.limit = limit;
        }

        @Override
        public boolean reserve() {
            if (places.incrementAndGet() <= limit && !closed) {
                return true;
            }
            places.decrementAndGet();
            ProcessCounters.dropped(Drop.BACKLOG);
            return false;
        }

        @Override
        public void unreserve() {
            places.decrementAndGet();
        }

        @Override
        public void accept(Link link, InetSocketAddress local, InetSocketAddress remote) {
            InetSocketAddress at = new InetSocketAddress(local.getAddress(), port);
            StreamSocket socket = new StreamSocket(accelerator, link, fabric, at, remote);
            socket.logAccepted(at, remote);
            arrived.add(socket);
            shares.refresh();
            if (closed) {
                resetArrived(); // it came while the listener closed
            }
        }
    }
}
