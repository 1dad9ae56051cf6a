// SPDX-License-Identifier: Apache-2.0
/**
 * Decides whether to load the RDMA fabric, and from where. {@code core.fabric.rdma} and its {@code verbs} link to
 * jnr-ffi, which cannot be renamed (JNI binds its lower layer by class name) and of which a program may have a
 * version of its own. So Accel's drop-in jar keeps jnr-ffi where no class loader looks for packages, and a class
 * loader of ours defines those packages a second time beside it. Where Accel comes as separate jars, jnr-ffi is on
 * the class path and none of this happens.
 *
 * <p>Nothing is loaded before the kernel knows of an RDMA device. This package depends on {@code core.fabric} and the JDK,
 * and names the fabric's classes only as text; all that both sides of the class loader share is here or in {@code
 * core.fabric}. {@code core.socket} and tools may depend on it.
 */
package io.accel.core.fabric.rdma.bootstrap;
