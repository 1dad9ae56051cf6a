// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/** The kinds of things that were thrown away because they could not be taken. */
public enum Drop {
    /** A client that was turned away because the listener's queue of accelerated connections was full. */
    BACKLOG("backlog"),
    /** A datagram for which the receiver had no room. */
    DATAGRAM("datagram"),
    /** A datagram of a multicast group that was overwritten before a member received it, or lost by RDMA's network. */
    MULTICAST("multicast"),
    /** An urgent byte that the receiver did not want inline. */
    URGENT("urgent");

    private final String text;

    Drop(String text) {
        this.text = text;
    }

    /** The name in metrics and samples. */
    public String text() {
        return text;
    }
}
