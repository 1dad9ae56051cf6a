// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.artemis;

import io.accel.samples.apps.Ports;
import io.accel.samples.apps.ServerMain;
import io.accel.samples.bench.Parameters;
import java.nio.file.Path;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

/** An ActiveMQ Artemis broker that keeps its messages in memory. Argument: {@code dir}. */
public final class ArtemisServer {
    private ArtemisServer() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(Parameters.parse(args).text("dir"));
        int port = Ports.free();
        Configuration configuration = new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .setJournalDirectory(directory.resolve("journal").toString())
                .setBindingsDirectory(directory.resolve("bindings").toString())
                .setLargeMessagesDirectory(directory.resolve("large").toString())
                .setPagingDirectory(directory.resolve("paging").toString())
                .addAcceptorConfiguration("netty", "tcp://127.0.0.1:" + port + "?protocols=CORE");
        new EmbeddedActiveMQ().setConfiguration(configuration).start();
        ServerMain.serve(port);
    }
}
