// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

/** The owner of the programs that a case runs. It decides where their classes are and how they get Accel. */
enum Programs {
    /** Plain {@code java.nio}, by the drop-in jar on the class path and a property. */
    PLAIN("io.accel.samples.bench."),
    /** Netty's, by a transport. */
    NETTY("io.accel.samples.netty.bench."),
    /** Servers and clients of other projects, by the agent. */
    APPS("io.accel.samples.apps.");

    /** The beginning of the names of their classes. */
    final String prefix;

    Programs(String prefix) {
        this.prefix = prefix;
    }
}
