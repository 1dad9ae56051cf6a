// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import jnr.ffi.LibraryLoader;

/** The functions of librdmacm by name. Pointers are longs: nothing is boxed, and null is 0. */
@CName("RDMA_")
final class LibRdmaCm {
    static final String FILE = "librdmacm.so.1";

    static final int PS_TCP = 0x0106;
    static final int PS_UDP = 0x0111;
    static final int PS_IB = 0x013F;

    static final int OPTION_ID = 0;

    static final int OPTION_ID_TOS = 0;

    static final int OPTION_ID_REUSEADDR = 1;

    static final int OPTION_ID_AFONLY = 2;

    static final int OPTION_ID_ACK_TIMEOUT = 3;

    private LibRdmaCm() {}

    static Functions load() {
        return LibraryLoader.create(Functions.class).failImmediately().load(FILE);
    }

    /** Bound by jnr-ffi from another class loader, hence public. */
    public interface Functions {
        long rdma_get_devices(long count);

        void rdma_free_devices(long list);

        long rdma_create_event_channel();

        void rdma_destroy_event_channel(long channel);

        int rdma_create_id(long channel, long id, long context, int portSpace);

        int rdma_destroy_id(long id);

        int rdma_migrate_id(long id, long channel);

        int rdma_set_option(long id, int level, int name, long value, long length);

        int rdma_bind_addr(long id, long address);

        int rdma_resolve_addr(long id, long source, long destination, int timeoutMillis);

        int rdma_resolve_route(long id, int timeoutMillis);

        int rdma_create_qp(long id, long pd, long attributes);

        void rdma_destroy_qp(long id);

        int rdma_listen(long id, int backlog);

        int rdma_connect(long id, long parameters);

        int rdma_accept(long id, long parameters);

        int rdma_reject(long id, long privateData, byte length);

        int rdma_notify(long id, int event);

        int rdma_disconnect(long id);

        int rdma_join_multicast(long id, long address, long context);

        int rdma_leave_multicast(long id, long address);

        int rdma_get_cm_event(long channel, long event);

        int rdma_ack_cm_event(long event);
    }
}
