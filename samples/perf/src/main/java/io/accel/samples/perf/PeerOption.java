// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import picocli.CommandLine.Option;

/** The host of servers over RDMA, if that is not this one: both options, or neither. */
public final class PeerOption {
    @Option(
            names = "--peer",
            required = true,
            paramLabel = "COMMAND",
            description =
                    "With --fabric rdma: runs the servers on another host, by a shell there that COMMAND starts and that"
                            + " takes its commands from its input, such as 'ssh NAME'. Java and Accel have to be there under the"
                            + " same names. Without it both ends run on this host, or on two guests of the lab.")
    private String shell;

    @Option(
            names = "--peer-address",
            required = true,
            paramLabel = "ADDRESS",
            description = "The address of that host's RDMA device.")
    private String address;

    /** The host that it names. */
    public FarHost host() {
        return FarHost.of(shell, address);
    }
}
