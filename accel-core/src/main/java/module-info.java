// SPDX-License-Identifier: Apache-2.0
/**
 * The code that all adapters share. Programs see the types that adapters show; everything else is for Accel's own modules.
 */
// The exports name modules that need not be there, and jnr-ffi has no descriptor.
@SuppressWarnings({"module", "requires-automatic"})
module io.accel.core {
    requires transitive io.accel.profile;
    requires java.management;
    requires jdk.jfr;
    requires jdk.net;
    requires jdk.unsupported; // by reflection
    requires org.jnrproject.ffi;
    requires org.jnrproject.jffi;
    // jnr-ffi cannot say that it needs these.
    requires org.objectweb.asm;
    requires org.objectweb.asm.commons;
    requires org.objectweb.asm.tree;
    requires org.objectweb.asm.util;

    exports io.accel;
    exports io.accel.core.daemon to
            io.accel.metrics,
            io.accel.netty,
            io.accel.nio;
    exports io.accel.core.jdk to
            io.accel.netty,
            io.accel.nio;
    exports io.accel.core.observe to
            io.accel.metrics,
            io.accel.netty,
            io.accel.netty.spring,
            io.accel.nio;
    exports io.accel.core.observe.metrics to
            io.accel.metrics,
            java.management;
    exports io.accel.core.poll to
            io.accel.netty,
            io.accel.nio;
    exports io.accel.core.runtime to
            io.accel.netty,
            io.accel.netty.spring,
            io.accel.nio;
    exports io.accel.core.socket to
            io.accel.netty,
            io.accel.netty.spring,
            io.accel.nio;

    uses io.accel.core.observe.metrics.MetricsPage;

    // jnr-ffi implements interfaces of this package, in a module that is made at run time.
    opens io.accel.core.fabric.rdma.verbs;
}
