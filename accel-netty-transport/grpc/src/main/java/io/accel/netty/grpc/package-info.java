/**
 * gRPC on Accel's transport. gRPC finds {@link io.accel.netty.grpc.AccelChannelProvider} and {@link
 * io.accel.netty.grpc.AccelServerProvider} by itself where this jar is on the class path, and they come before its own. Programs that
 * name Netty's builders have {@link io.accel.netty.grpc.AccelGrpc}.
 *
 * <p>An adapter: depends on {@code io.accel.netty} and {@code grpc-netty}, and nothing depends on it.
 */
package io.accel.netty.grpc;
