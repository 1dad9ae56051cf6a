// SPDX-License-Identifier: Apache-2.0
/**
 * The native boundary: librdmacm and libibverbs as Java objects that keep the verbs' own names.
 *
 * <p>Functions with a symbol are bound by name with jnr-ffi ({@link io.accel.core.fabric.rdma.verbs.LibIbVerbs},
 * {@link io.accel.core.fabric.rdma.verbs.LibRdmaCm}). Those of the data path are {@code static inline} in C and have
 * none: they are called through the function pointers in {@code ibv_context.ops}
 * ({@link io.accel.core.fabric.rdma.verbs.DataPath}). One class per C structure names the offsets used; a test compares
 * all of them with the installed headers.
 *
 * <p>Addresses, structure offsets and jnr types do not leave this package, but for the numbers that verbs send to the
 * peer or hand to a selector: region addresses, keys and file descriptors. The package depends on jnr-ffi and the
 * JDK, and on nothing else of Accel; only {@code io.accel.core.fabric.rdma} may depend on it, and tools get its
 * classes from {@code io.accel.core.fabric.rdma.bootstrap.RdmaClasses}.
 *
 * <p><b>Order of the end.</b> Queue pair, then completion queues and channels, regions, protection domain, and the
 * communication identifier, then its event channel. An object that is closed too early says EBUSY and stays open.
 *
 * <p><b>Threads.</b> Verbs themselves may be called from any thread; an object that rewrites memory in place (request
 * lists, completion batches) belongs to one thread at a time, and nothing may be closed while another thread uses it.
 */
package io.accel.core.fabric.rdma.verbs;
