// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.net.InetAddress;
import org.apache.derby.drda.NetworkServerControl;

/** The Derby database in server mode. Argument: {@code dir}. */
public final class DerbyServer {
    private DerbyServer() {}

    public static void main(String[] args) throws Exception {
        System.setProperty("derby.system.home", Parameters.parse(args).text("dir"));
        int port = Ports.free();
        NetworkServerControl control = new NetworkServerControl(InetAddress.getLoopbackAddress(), port);
        ServerMain.run("derby", port, () -> control.start(null));
    }
}
