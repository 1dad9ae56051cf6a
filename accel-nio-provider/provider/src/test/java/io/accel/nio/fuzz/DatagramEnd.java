// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;

/**
 * A datagram channel, or the place for one, and the program's knowledge of it: the datagrams that it has not received yet. One
 * thread, apart from tasks that only use the channel.
 */
final class DatagramEnd {
    /**
     * The bytes that the smallest of the kernel's buffers certainly holds, as the kernel counts: a datagram costs at most twice
     * its bytes, and its own room.
     */
    private static final int ROOM = 150_000;

    private static final int OVERHEAD = 1_024;

    private final int index;
    private final SelectorProvider provider;
    private final List<Sent> expected = new ArrayList<>();
    private DatagramChannel channel;
    private int opened;

    private record Sent(String from, int size) {}

    DatagramEnd(int index, SelectorProvider provider) {
        this.index = index;
        this.provider = provider;
    }

    /** Each channel has one of its own. */
    String name() {
        return "d" + index + (opened > 1 ? "." + opened : "");
    }

    SelectorProvider provider() {
        return provider;
    }

    /** Null until it is opened. */
    DatagramChannel channel() {
        return channel;
    }

    void channel(DatagramChannel next) {
        channel = next;
        opened++;
        expected.clear();
    }

    boolean isOpen() {
        return channel != null && channel.isOpen();
    }

    /** The address that others send to; null if it has no port. */
    InetSocketAddress address() throws IOException {
        if (!isOpen() || !(channel.getLocalAddress() instanceof InetSocketAddress local)) {
            return null;
        }
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), local.getPort());
    }

    /** Whether it has room for so many more bytes. */
    boolean hasRoom(int size) {
        return expected.stream().mapToInt(each -> cost(each.size)).sum() + cost(size) <= ROOM;
    }

    private static int cost(int size) {
        return 2 * size + OVERHEAD;
    }

    /** Whether another channel's datagrams arrive: it is not connected to a third. */
    boolean hears(DatagramEnd from) throws IOException {
        SocketAddress peer = channel.getRemoteAddress();
        return peer == null || peer.equals(from.address());
    }

    /** Something was sent to it. */
    void sent(DatagramEnd from, int size) throws IOException {
        if (hears(from)) {
            expected.add(new Sent(from.name(), size));
        }
    }

    /** How many have not been received. */
    int unread() {
        return expected.size();
    }

    /** Whether they all come from one sender: UDP promises no order between several. */
    boolean isInOrder() {
        return expected.stream().map(Sent::from).distinct().count() <= 1;
    }

    void received() {
        if (!expected.isEmpty()) {
            expected.remove(0);
        }
    }

    /** There are no datagrams any more: it was emptied, closed, or has a new peer. */
    void emptied() {
        expected.clear();
    }
}
