// SPDX-License-Identifier: Apache-2.0
/**
 * Brings Accel to Spring Boot programs with nothing but the starter's jar. The {@code accel.*} keys of the program's configuration are
 * Accel's settings, checked as the program starts. WebFlux and {@code WebClient} run on Accel's transport. The program's meter
 * registry has Accel's metrics, and its health says what is accelerated. {@code accel.enabled=false} turns all of it off.
 *
 * <p>This package is an adapter: it depends on {@code io.accel.netty.reactor}, the core, the profiles and Spring Boot, and nothing
 * depends on it.
 */
package io.accel.netty.spring;
