// SPDX-License-Identifier: Apache-2.0
/** Channels for datagrams. Its classes have the tag {@code datagram}, and know the suite's own package and no other one of it. */
package io.accel.nio.contract.datagram;
