// SPDX-License-Identifier: Apache-2.0
/**
 * Puts gRPC on Accel's transport. gRPC finds {@link io.accel.netty.grpc.AccelChannelProvider} and {@link
 * io.accel.netty.grpc.AccelServerProvider} by itself where this jar is on the class path, and prefers them to its own. Programs that
 * name Netty's builders use {@link io.accel.netty.grpc.AccelGrpc}.
 *
 * <p>This package is an adapter: it depends on {@code io.accel.netty} and {@code grpc-netty}, and nothing depends on it.
 */
package io.accel.netty.grpc;
