// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** An IPv4 address and port. */
@CName("struct sockaddr_in")
final class SockaddrIn {
    static final int SIZE = 16;

    @CName("sin_family")
    static final int FAMILY = 0;

    @CName("sin_port")
    static final int PORT = 2;

    @CName("sin_addr")
    static final int ADDR = 4;

    private SockaddrIn() {}
}
