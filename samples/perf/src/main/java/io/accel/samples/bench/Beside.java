// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.util.Locale;

/** What virtual threads wait in beside a {@link VirtualSleeper}, as its argument {@code beside} names it. */
enum Beside {
    /** For a question on a blocking channel, which is answered. */
    READ,
    /** For room, most of the time. */
    WRITE,
    /** For a question on a channel of a selector. */
    SELECT,
    /** For a question in the stream of a {@code java.net.Socket}. */
    STREAM,
    /** For connections, which are closed at once. */
    ACCEPT,
    /** For a question in a datagram. */
    DATAGRAM;

    /** Bytes of a question, and of an answer. */
    static final int MESSAGE_BYTES = 64;

    static Beside of(Parameters parameters) {
        return valueOf(parameters.text("beside").toUpperCase(Locale.ROOT));
    }
}
