// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.BlockingEchoServer;
import io.accel.samples.bench.Parameters;

/**
 * Echoes small messages over the transports that Accel is compared with. Arguments: {@code dir}; {@code transport}, which is {@code tcp} or
 * {@code unix} for the JDK's blocking channels, {@code junixsocket} for that library's, and {@code aeron} for Aeron's messages through shared memory.
 */
public final class PeerServer {
    private PeerServer() {}

    /** The path of the socket, if it is one in the file system. */
    static String socket(Parameters parameters) {
        return parameters.text("dir") + "/socket";
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        switch (parameters.text("transport")) {
            case "tcp" -> BlockingEchoServer.main(new String[0]);
            case "unix" -> BlockingEchoServer.main(new String[] {"path=" + socket(parameters)});
            case "junixsocket" -> Junixsocket.serve(socket(parameters));
            case "aeron" -> AeronIpc.serve(parameters);
            default -> throw new IllegalArgumentException("there is no transport " + parameters.text("transport"));
        }
    }
}
