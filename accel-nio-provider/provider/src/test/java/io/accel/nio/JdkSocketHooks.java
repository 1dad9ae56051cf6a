// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** The hooks over a channel of the JDK, so that our adaptor can be compared with the JDK's over the same channel. */
final class JdkSocketHooks implements SocketHooks {

    private final SocketChannel channel;
    private InputStream input;

    JdkSocketHooks(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public SocketChannel channel() {
        return channel;
    }

    @Override
    public void connectBlocking(SocketAddress remote, int timeoutMillis) throws IOException {
        channel.socket().connect(remote, timeoutMillis);
    }

    @Override
    public int readBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException {
        if (isInputShutdown()) {
            return -1;
        }
        channel.socket().setSoTimeout(millis(timeoutNanos));
        return input().read(b, off, len);
    }

    /** Kept from the first use, since the JDK gives no stream any more after shutdownInput. */
    private synchronized InputStream input() throws IOException {
        if (input == null) {
            input = channel.socket().getInputStream();
        }
        return input;
    }

    private static int millis(long nanos) {
        return Math.toIntExact(TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    @Override
    public void writeBlocking(byte[] b, int off, int len) throws IOException {
        try {
            channel.socket().getOutputStream().write(b, off, len);
        } catch (SocketException e) {
            if (isOutputShutdown()) {
                throw (IOException) new ClosedChannelException().initCause(e);
            }
            throw e;
        }
    }

    @Override
    public int available() throws IOException {
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        return isInputShutdown() ? 0 : input().available();
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        channel.socket().sendUrgentData(data);
    }

    @Override
    public SocketAddress localAddressOrNull() {
        return channel.socket().getLocalSocketAddress();
    }

    @Override
    public SocketAddress remoteAddressOrNull() {
        return channel.socket().getRemoteSocketAddress();
    }

    @Override
    public boolean isInputShutdown() {
        return channel.socket().isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return channel.socket().isOutputShutdown();
    }
}
