/**
 * Accel in programs of Spring Boot, by the starter's jar alone: {@code accel.*} of the program's configuration is Accel's settings,
 * checked as the program starts; WebFlux and {@code WebClient} run on Accel's transport; the program's meter registry has Accel's
 * metrics, and its health says what is accelerated. {@code accel.enabled=false} turns all of it off.
 *
 * <p>An adapter: depends on {@code io.accel.netty.reactor}, the core, the profiles and Spring Boot, and nothing depends on it.
 */
package io.accel.netty.spring;
