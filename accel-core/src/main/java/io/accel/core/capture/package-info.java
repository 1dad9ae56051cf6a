// SPDX-License-Identifier: Apache-2.0
/**
 * Packets as a network would have carried them, made of the traffic over links: a queue of limited size that taps
 * fill, headers of IP, TCP and UDP, and the format pcapng. The package depends on {@code StreamTap} and {@code
 * DatagramTap} of the two protocols, and on the rings that they hand over.
 */
package io.accel.core.capture;
