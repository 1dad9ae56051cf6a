// SPDX-License-Identifier: Apache-2.0
/**
 * Netty and gRPC programs to copy from: an echo, an HTTP/1.1 server and client, a gRPC server and client. A flag chooses
 * the transport of each; {@link io.accel.samples.netty.Transport} is all that they need to know about it.
 */
package io.accel.samples.netty;
