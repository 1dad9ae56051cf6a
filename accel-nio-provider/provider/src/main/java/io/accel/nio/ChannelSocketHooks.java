// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/** The hooks over a channel of Accel's, which does not show them to programs. */
record ChannelSocketHooks(AccelSocketChannel own, StreamInput input, StreamOutput output) implements SocketHooks {

    /** Makes the adaptor of a channel. A class that calls this can be loaded without those of the adaptor. */
    static Socket socket(AccelSocketChannel own, StreamInput input, StreamOutput output) {
        return AccelSocket.over(new ChannelSocketHooks(own, input, output));
    }

    @Override
    public SocketChannel channel() {
        return own;
    }

    @Override
    public void connectBlocking(SocketAddress remote, int timeoutMillis) throws IOException {
        own.connectBlocking(remote, timeoutMillis);
    }

    @Override
    public int readBlocking(byte[] b, int off, int len, long timeoutNanos) throws IOException {
        return input.readBlocking(b, off, len, timeoutNanos);
    }

    @Override
    public void writeBlocking(byte[] b, int off, int len) throws IOException {
        output.writeBlocking(b, off, len);
    }

    @Override
    public int available() throws IOException {
        return input.available();
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        output.sendUrgentData(data);
    }

    @Override
    public SocketAddress localAddressOrNull() {
        return own.localAddressOrNull();
    }

    @Override
    public SocketAddress remoteAddressOrNull() {
        return own.remoteAddressOrNull();
    }

    @Override
    public boolean isInputShutdown() {
        return own.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return own.isOutputShutdown();
    }
}
