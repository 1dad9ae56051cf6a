// SPDX-License-Identifier: Apache-2.0
/**
 * Puts Vert.x on Accel's transport. Vert.x finds {@link io.accel.netty.vertx.AccelVertxProvider} by itself where this jar is on the
 * class path; a program's code does not change.
 *
 * <p>This package is an adapter: it depends on {@code io.accel.netty} and Vert.x, and nothing depends on it.
 */
package io.accel.netty.vertx;
