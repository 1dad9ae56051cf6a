// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

/** Prints which native transports the class path's two Nettys find: one under its own name, and gRPC's, which is relocated. */
final class TransportsThere {
    private TransportsThere() {}

    public static void main(String[] args) {
        System.out.println("epoll " + io.netty.channel.epoll.Epoll.isAvailable());
        System.out.println("relocated epoll " + io.grpc.netty.shaded.io.netty.channel.epoll.Epoll.isAvailable());
    }
}
