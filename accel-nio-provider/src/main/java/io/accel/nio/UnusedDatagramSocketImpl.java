package io.accel.nio;

import java.net.DatagramPacket;
import java.net.DatagramSocketImpl;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;

/** What {@link java.net.DatagramSocket}'s constructor wants, so that it opens no socket. Every method of the adaptor goes elsewhere. */
@SuppressWarnings("removal") // DatagramSocketImpl's own methods for a single byte of time-to-live
final class UnusedDatagramSocketImpl extends DatagramSocketImpl {
    private static IllegalStateException unexpected() {
        return new IllegalStateException("a method of java.net.DatagramSocket that Accel does not know");
    }

    @Override
    protected void create() {
        throw unexpected();
    }

    @Override
    protected void bind(int port, InetAddress address) {
        throw unexpected();
    }

    @Override
    protected void send(DatagramPacket packet) {
        throw unexpected();
    }

    @Override
    protected int peek(InetAddress address) {
        throw unexpected();
    }

    @Override
    protected int peekData(DatagramPacket packet) {
        throw unexpected();
    }

    @Override
    protected void receive(DatagramPacket packet) {
        throw unexpected();
    }

    @Override
    @Deprecated
    protected void setTTL(byte ttl) {
        throw unexpected();
    }

    @Override
    @Deprecated
    protected byte getTTL() {
        throw unexpected();
    }

    @Override
    protected void setTimeToLive(int ttl) {
        throw unexpected();
    }

    @Override
    protected int getTimeToLive() {
        throw unexpected();
    }

    @Override
    protected void join(InetAddress group) {
        throw unexpected();
    }

    @Override
    protected void leave(InetAddress group) {
        throw unexpected();
    }

    @Override
    protected void joinGroup(SocketAddress group, NetworkInterface networkInterface) {
        throw unexpected();
    }

    @Override
    protected void leaveGroup(SocketAddress group, NetworkInterface networkInterface) {
        throw unexpected();
    }

    @Override
    protected void close() {
        throw unexpected();
    }

    @Override
    public void setOption(int option, Object value) {
        throw unexpected();
    }

    @Override
    public Object getOption(int option) {
        throw unexpected();
    }
}
