// SPDX-License-Identifier: Apache-2.0
/**
 * Netty and gRPC programs to copy from: an echo, an HTTP/1.1 server and client, a gRPC server and client. Each chooses its
 * transport by a flag; {@link io.accel.samples.netty.Transport} is all that they need to know of it.
 */
package io.accel.samples.netty;
