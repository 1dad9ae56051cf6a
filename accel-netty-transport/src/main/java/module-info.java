// SPDX-License-Identifier: Apache-2.0
/** Accel as a transport of Netty. */
module io.accel.netty {
    requires transitive io.accel.core;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;
    requires jdk.net;

    exports io.accel.netty;
}
