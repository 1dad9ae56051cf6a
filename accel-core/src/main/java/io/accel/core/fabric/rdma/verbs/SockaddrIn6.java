// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** An IPv6 address and port. */
@CName("struct sockaddr_in6")
final class SockaddrIn6 {
    static final int SIZE = 28;

    @CName("sin6_family")
    static final int FAMILY = 0;

    @CName("sin6_port")
    static final int PORT = 2;

    @CName("sin6_addr")
    static final int ADDR = 8;

    @CName("sin6_scope_id")
    static final int SCOPE_ID = 24;

    private SockaddrIn6() {}
}
