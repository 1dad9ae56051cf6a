// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The fabric to use, and for RDMA the hosts: this one, this one and {@link PeerOption}'s, or the guests of the lab. */
public final class FabricOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--fabric",
            paramLabel = "NAME",
            defaultValue = "shm",
            description = "shm: within this host; rdma: over its RDMA device, or between two hosts of the lab (default:"
                    + " ${DEFAULT-VALUE}).")
    private Choice choice;

    /** The values of {@code --fabric}. */
    private enum Choice {
        shm,
        rdma
    }

    @ArgGroup(exclusive = false)
    private PeerOption peer;

    /**
     * Refuses a peer for a fabric that stays within this host.
     *
     * @throws ParameterException if there is one
     */
    public void check() {
        if (choice == Choice.shm && peer != null) {
            throw new ParameterException(command.commandLine(), "--peer is for --fabric rdma alone");
        }
    }

    public boolean isRdma() {
        return choice == Choice.rdma;
    }

    /** As {@code --fabric} takes it. */
    public String label() {
        return choice.name();
    }

    /**
     * This host's RDMA device; none if the command has to run {@linkplain #runInLab in the lab} instead.
     *
     * @throws ParameterException if there is none, and a peer was named
     */
    public Optional<RdmaDevice> device() throws IOException {
        Optional<RdmaDevice> found = RdmaDevice.find();
        if (found.isEmpty() && peer != null) {
            throw new ParameterException(command.commandLine(), "--peer: this host has no RDMA device with an address");
        }
        return found;
    }

    /** Both ends at this host's device on any processors, or the servers on the peer. */
    public Place place(RdmaDevice device) {
        return place(device, Cores.ANY);
    }

    /** Both ends at this host's device, or the servers on the peer, where {@code cores} mean nothing. */
    Place place(RdmaDevice device, Cores cores) {
        return peer == null ? Place.at(device.address(), cores) : Place.between(peer.host());
    }

    /** Like {@link Lab#run}, and says so. */
    public int runInLab(List<String> arguments, Map<String, Path> files, Duration limit)
            throws IOException, InterruptedException {
        System.err.println(
                "This machine has no RDMA device with an address; going into the lab, where two hosts have one.");
        return Lab.find().run(arguments, files, limit);
    }
}
