// SPDX-License-Identifier: Apache-2.0
/**
 * Puts Reactor Netty on Accel's transport through {@link io.accel.netty.reactor.AccelLoopResources}, for one server or client, or for
 * all of them.
 *
 * <p>This package is an adapter: it depends on {@code io.accel.netty} and Reactor Netty's core. The Spring Boot starter depends on it.
 */
package io.accel.netty.reactor;
