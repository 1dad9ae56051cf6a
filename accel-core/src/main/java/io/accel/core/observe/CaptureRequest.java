// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;

/**
 * The request that {@code accel capture} sends to a process.
 *
 * @param ports either end of a connection or of a datagram must have one of these; none for any, at most {@link
 * #MOST_PORTS}
 * @param packets the most packets to capture; 0 for no limit
 * @param seconds the longest time to capture; 0 for no limit
 */
public record CaptureRequest(Set<Integer> ports, long packets, int seconds) {
    /** The most ports that a request can name. */
    public static final int MOST_PORTS = 64;

    /** The size of a request's first part; the ports follow. */
    static final int HEAD = Long.BYTES + 2 * Integer.BYTES;

    private static final int MOST_PORT = 65_535;

    ByteBuffer encode() {
        ByteBuffer request = ByteBuffer.allocate(HEAD + ports.size() * Integer.BYTES);
        request.putLong(packets).putInt(seconds).putInt(ports.size());
        ports.forEach(request::putInt);
        return request.flip();
    }

    /** How many bytes follow the head. */
    static int rest(ByteBuffer head) throws IOException {
        int ports = head.getInt(HEAD - Integer.BYTES);
        if (ports < 0 || ports > MOST_PORTS) {
            throw new IOException("a request for a capture names " + ports + " ports");
        }
        return ports * Integer.BYTES;
    }

    static CaptureRequest decode(ByteBuffer head, ByteBuffer rest) throws IOException {
        long packets = head.getLong();
        int seconds = head.getInt();
        Set<Integer> ports = new HashSet<>();
        while (rest.hasRemaining()) {
            ports.add(rest.getInt());
        }
        if (packets < 0 || seconds < 0 || ports.stream().anyMatch(port -> port < 1 || port > MOST_PORT)) {
            throw new IOException("a request for a capture is nonsense: " + packets + ", " + seconds + ", " + ports);
        }
        return new CaptureRequest(ports, packets, seconds);
    }
}
