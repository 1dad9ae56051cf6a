// SPDX-License-Identifier: Apache-2.0
/**
 * Real programs, for {@code accel perf apps}: servers and clients of other projects as they come from the registries, with as much
 * code around them as it takes to start them and to time what they do. A server prints {@code ready port=...}; a client measures
 * when it is told to. Neither knows of Accel. May use {@code io.accel.samples.bench}; nothing uses it but by a command line.
 */
package io.accel.samples.apps;
