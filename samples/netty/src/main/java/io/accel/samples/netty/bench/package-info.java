// SPDX-License-Identifier: Apache-2.0
/**
 * Netty programs that {@code perf compare} measures, the same for each transport. They talk to it by {@link
 * io.accel.samples.bench.Event} lines and commands, as the plain ones do.
 */
package io.accel.samples.netty.bench;
