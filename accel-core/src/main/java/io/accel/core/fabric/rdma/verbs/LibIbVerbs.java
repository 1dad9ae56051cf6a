// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import jnr.ffi.LibraryLoader;

/** The functions of libibverbs by name. Pointers are longs: nothing is boxed, and null is 0. */
@CName("")
final class LibIbVerbs {
    static final String FILE = "libibverbs.so.1";

    static final int IBV_FORK_DISABLED = 0;

    static final int IBV_QPS_ERR = 6;

    static final int IBV_QP_STATE = 1;

    static final int IBV_QP_MIN_RNR_TIMER = 32768;

    static final int IBV_QPT_RC = 2;

    static final int IBV_QPT_UD = 4;

    static final int IBV_EVENT_COMM_EST = 4;

    static final int IBV_DEVICE_PORT_ACTIVE_EVENT = 1 << 10;

    private LibIbVerbs() {}

    static Functions load() {
        return LibraryLoader.create(Functions.class).failImmediately().load(FILE);
    }

    /** Bound by jnr-ffi from another class loader, hence public. */
    public interface Functions {
        int ibv_is_fork_initialized();

        int ibv_fork_init();

        long ibv_get_device_list(long count);

        void ibv_free_device_list(long list);

        long ibv_open_device(long device);

        int ibv_close_device(long context);

        int ibv_query_device(long context, long attributes);

        int ibv_query_port(long context, byte port, long attributes);

        int ibv_query_gid(long context, byte port, int index, long gid);

        long ibv_alloc_pd(long context);

        int ibv_dealloc_pd(long pd);

        long ibv_reg_mr(long pd, long address, long length, int access);

        int ibv_dereg_mr(long mr);

        long ibv_create_comp_channel(long context);

        int ibv_destroy_comp_channel(long channel);

        long ibv_create_cq(long context, int entries, long cqContext, long channel, int vector);

        int ibv_destroy_cq(long cq);

        int ibv_get_cq_event(long channel, long cq, long cqContext);

        void ibv_ack_cq_events(long cq, int count);

        long ibv_create_qp(long pd, long attributes);

        int ibv_destroy_qp(long qp);

        int ibv_modify_qp(long qp, long attributes, int mask);

        long ibv_create_ah(long pd, long attributes);

        int ibv_destroy_ah(long ah);

        int ibv_get_async_event(long context, long event);

        void ibv_ack_async_event(long event);

        String ibv_wc_status_str(int status);
    }
}
