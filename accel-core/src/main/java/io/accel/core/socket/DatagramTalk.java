// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.net.InetAddress;

/**
 * Counts what a datagram socket exchanges with each peer, until it has exchanged enough with one of them: from then on the socket may look
 * for links, and be found. So a socket that asks one question, and one that answers many peers once each, never does.
 *
 * <p>Any thread, without order: a count that gets lost costs a datagram more.
 */
final class DatagramTalk {
    /** The datagrams with one peer, to it or from it, that are enough: as many as of a stream's reads and writes by default. */
    static final int ENOUGH = 8;
    /** The peers that are counted at the same time, if each has a place of its own. */
    private static final int PLACES = 256;
    /** Leaves of a hash code the bits that say its place. */
    private static final int PLACE_SHIFT = Integer.SIZE - 8;
    /** Spreads hash codes, of which those of addresses differ in few bits. */
    private static final int GOLDEN_RATIO = 0x9E37_79B9;

    private static final int COUNT = 0xF;

    // The only peer so far; most sockets that live for a moment have no other.
    private int first;
    private int count;

    /** For each place the peer that was counted there last, and its count in the low bits; null until there is a second peer. */
    private int[] places;

    /** Counts a datagram to or from a peer. Returns whether that was enough. */
    boolean isEnough(InetAddress peer, int port) {
        int hash = ((peer.hashCode() * 31 + port) * GOLDEN_RATIO) | COUNT;
        if (first == hash || count == 0) {
            first = hash;
            return ++count >= ENOUGH;
        }
        return isEnoughOfMany(hash);
    }

    private boolean isEnoughOfMany(int hash) {
        int[] all = places;
        if (all == null) {
            all = new int[PLACES];
            places = all;
        }
        int place = hash >>> PLACE_SHIFT;
        int before = all[place];
        int counted = (before | COUNT) == hash ? (before & COUNT) + 1 : 1;
        all[place] = (hash & ~COUNT) | Math.min(counted, COUNT);
        return counted >= ENOUGH;
    }
}
