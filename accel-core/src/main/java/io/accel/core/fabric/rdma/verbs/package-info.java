/**
 * Planned: the native boundary of RDMA. The functions of librdmacm and libibverbs through jnr-ffi, and the layouts of
 * their structures, checked against the real headers by a test.
 *
 * <p>The only package that names jnr-ffi, and outside shared memory the only one that sees a native address. {@code
 * core.fabric.rdma} alone may depend on it.
 */
package io.accel.core.fabric.rdma.verbs;
