// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of the Netty samples. */
@Command(
        name = "accel-netty-samples",
        mixinStandardHelpOptions = true,
        subcommands = {
            EchoServer.class,
            EchoClient.class,
            HttpServer.class,
            HttpClient.Main.class,
            GrpcServer.class,
            GrpcClient.Main.class
        })
public final class NettySamplesMain {
    private NettySamplesMain() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new NettySamplesMain()).execute(args));
    }
}
