// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketImpl;

/**
 * The {@link SocketImpl} that the constructors of {@link java.net.Socket} and {@link java.net.ServerSocket} ask for, and that the
 * adaptors never use, since they override every method that would reach it. A call that reaches it means that a newer JDK has a method
 * which the adaptors do not override yet.
 */
final class UnusedSocketImpl extends SocketImpl {

    private static AssertionError unexpected() {
        return new AssertionError("A method of java.net.Socket or ServerSocket that Accel's adaptor does not override"
                + " was called on JDK " + Runtime.version() + "; use the channel's own method instead");
    }

    @Override
    protected void create(boolean stream) {
        throw unexpected();
    }

    @Override
    protected void connect(String host, int port) {
        throw unexpected();
    }

    @Override
    protected void connect(InetAddress address, int port) {
        throw unexpected();
    }

    @Override
    protected void connect(SocketAddress address, int timeout) {
        throw unexpected();
    }

    @Override
    protected void bind(InetAddress host, int port) {
        throw unexpected();
    }

    @Override
    protected void listen(int backlog) {
        throw unexpected();
    }

    @Override
    protected void accept(SocketImpl s) {
        throw unexpected();
    }

    @Override
    protected InputStream getInputStream() {
        throw unexpected();
    }

    @Override
    protected OutputStream getOutputStream() {
        throw unexpected();
    }

    @Override
    protected int available() {
        throw unexpected();
    }

    @Override
    protected void close() {
        throw unexpected();
    }

    @Override
    protected void sendUrgentData(int data) {
        throw unexpected();
    }

    @Override
    public void setOption(int optID, Object value) {
        throw unexpected();
    }

    @Override
    public Object getOption(int optID) {
        throw unexpected();
    }
}
