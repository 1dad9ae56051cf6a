// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.util.List;

/**
 * The hosts on which the two ends of a case run, and how one end finds the other. Immutable.
 *
 * @param cores the processors that each may use
 * @param address the address at which servers listen; null for the loopback interface
 * @param far the host of servers; null for this host
 */
public record Place(Cores cores, String address, FarHost far) {
    /** Both ends on this host, with the loopback interface between them. */
    static Place here(Cores cores) {
        return new Place(cores, null, null);
    }

    /** Both ends on this host, on any processors, with the loopback interface between them. */
    public static Place here() {
        return here(Cores.ANY);
    }

    /** Both ends on this host, where the server listens at {@code address}. */
    static Place at(String address, Cores cores) {
        return new Place(cores, address, null);
    }

    /** Servers on {@code far}, clients on this host. */
    public static Place between(FarHost far) {
        return new Place(Cores.ANY, far.address(), far);
    }

    public boolean isFar(End end) {
        return end == End.SERVER && far != null;
    }

    /**
     * Starts {@code command}, a program that talks to its starter in lines and ends when its input does.
     *
     * @param name what errors call it
     */
    public BenchProcess start(End end, String name, List<String> command) throws IOException, InterruptedException {
        return isFar(end) ? BenchProcess.on(far, name, command) : new BenchProcess(name, command);
    }

    /** One line for the reader of figures. */
    public String describe() {
        return far == null ? cores.describe() : "Each end ran on a host of its own: the server at " + address + ".";
    }
}
