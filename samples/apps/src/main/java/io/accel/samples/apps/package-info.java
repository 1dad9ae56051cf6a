// SPDX-License-Identifier: Apache-2.0
/**
 * Real programs, for {@code accel perf apps}: servers and clients of other projects as they come from the registries, with only the
 * code that starts them and times their work. A server prints {@code ready port=...}; a client measures
 * when it is told to. Neither knows of Accel. May use {@code io.accel.samples.bench}; nothing uses it except through a command line.
 */
package io.accel.samples.apps;
