// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** The common part of Accel's JFR events: the connection that an event concerns. */
@Category({"Accel"})
@StackTrace(false)
abstract class FlightEvent extends Event {
    @Label("Connection")
    @Description("The connection's number in this process, as accel stats shows it")
    long connection;

    @Label("Path")
    @Description("shm, rdma or kernel")
    String path;

    @Label("Local Address")
    String local;

    @Label("Remote Address")
    String remote;

    void of(ConnectionSample sample) {
        connection = sample.id();
        path = sample.path();
        local = sample.local();
        remote = sample.remote();
    }
}
