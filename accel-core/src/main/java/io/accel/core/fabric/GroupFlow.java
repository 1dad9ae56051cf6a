// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import java.net.InetSocketAddress;

/**
 * The datagrams of one socket to one multicast group. Immutable.
 *
 * @param group the group's IPv4 address, and the port
 * @param networkInterface the index of the network interface by which the kernel sends them
 * @param source the sender's address as members see it
 * @param kernelToo whether the kernel delivers them, too
 */
public record GroupFlow(InetSocketAddress group, int networkInterface, InetSocketAddress source, boolean kernelToo) {}
