// SPDX-License-Identifier: Apache-2.0
/**
 * The soak: programs that talk to each other at random for as long as they are told, and a supervisor that kills some
 * of them and checks that nothing is lost. The programs use {@code java.nio} and {@code java.net}, and JMX to
 * see the paths of their connections; the supervisor uses the code with which {@code perf} starts processes. Only the command
 * line depends on it.
 */
package io.accel.samples.soak;
