// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.BlockingPingPong;
import io.accel.samples.bench.Parameters;
import java.util.Arrays;
import java.util.stream.Stream;

/** Round trips of {@code size} bytes to a {@link PeerServer}. Arguments: those of the server, {@code port}, {@code size}. */
public final class PeerPingPong {
    private PeerPingPong() {}

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        switch (parameters.text("transport")) {
            case "tcp" -> BlockingPingPong.main(args);
            case "unix" ->
                BlockingPingPong.main(
                        Stream.concat(Arrays.stream(args), Stream.of("path=" + PeerServer.socket(parameters)))
                                .toArray(String[]::new));
            case "junixsocket" -> Junixsocket.pingPong(PeerServer.socket(parameters), parameters);
            case "aeron" -> AeronIpc.pingPong(parameters);
            default -> throw new IllegalArgumentException("there is no transport " + parameters.text("transport"));
        }
    }
}
