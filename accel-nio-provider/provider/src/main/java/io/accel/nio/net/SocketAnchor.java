// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.socket.Anchor;
import io.accel.core.socket.ChannelAnchor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;

/** An anchor that is a socket of the JDK's. */
final class SocketAnchor implements Anchor {
    private final KernelSocket kernel;
    /** Null before the first question for it. It never changes, so that threads which race write equal addresses. */
    private InetSocketAddress remote;

    SocketAnchor(KernelSocket kernel) {
        this.kernel = kernel;
    }

    /** Returns null: the socket is no channel, and its threads wait within the kernel. */
    @Override
    public SelectableChannel watched() {
        return null;
    }

    @Override
    public Object failing() {
        return kernel.implementation();
    }

    @Override
    public InetSocketAddress local() {
        return kernel.isConnected() && !kernel.isClosed() ? kernel.local() : null;
    }

    @Override
    public InetSocketAddress remote() {
        InetSocketAddress known = remote;
        if (known == null && kernel.isConnected()) {
            known = kernel.remote();
            remote = known;
        }
        return known;
    }

    @Override
    public int typeOfService() {
        try {
            return kernel.getTrafficClass();
        } catch (SocketException e) {
            return 0; // the socket is closed
        }
    }

    @Override
    public boolean isConnected() {
        return kernel.isConnected() && !kernel.isClosed();
    }

    @Override
    public int available() throws IOException {
        return kernel.rawInput().available();
    }

    @Override
    public boolean hasEnded() throws IOException {
        return kernel.hasEnded();
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        byte[] bytes = new byte[Math.min(dst.remaining(), Math.max(1, available()))];
        int n = kernel.rawInput().read(bytes);
        if (n > 0) {
            dst.put(bytes, 0, n);
        }
        return n;
    }

    @Override
    public int readShut(ByteBuffer dst) throws IOException {
        return kernel.readShut(dst);
    }

    @Override
    public int send(ByteBuffer bytes) throws IOException {
        if (!kernel.hasRoom()) {
            return 0;
        }
        byte[] all = new byte[bytes.remaining()];
        bytes.get(all);
        synchronized (this) {
            boolean delays = !kernel.getTcpNoDelay();
            if (delays) {
                kernel.setTcpNoDelay(true);
            }
            try {
                kernel.rawOutput().write(all); // which does not wait
            } finally {
                if (delays && !kernel.isClosed()) {
                    kernel.setTcpNoDelay(false);
                }
            }
        }
        return all.length;
    }

    @Override
    public void shutdownInput() throws IOException {
        kernel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        kernel.shutdownOutput();
    }

    @Override
    public boolean isOutputShut() {
        return kernel.isOutputShutdown();
    }

    /** Returns true: unless {@code SO_LINGER} is 0, the JDK's close shuts down the output first. */
    @Override
    public boolean closesInOrder() {
        return true;
    }

    @Override
    public synchronized void resetOnClose() throws IOException {
        kernel.setSoLinger(true, 0);
    }

    @Override
    public synchronized void endOnClose() throws IOException {
        kernel.setSoLinger(false, 0);
    }

    @Override
    public Anchor keep() throws IOException {
        if (!isConnected() || kernel.getSoLinger() >= 0) {
            return null;
        }
        return ChannelAnchor.keep(kernel.duplicate(), !kernel.isClosed());
    }

    @Override
    public void close() throws IOException {
        kernel.close();
    }
}
