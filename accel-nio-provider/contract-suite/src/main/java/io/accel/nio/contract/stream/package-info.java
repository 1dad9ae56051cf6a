// SPDX-License-Identifier: Apache-2.0
/**
 * Channels of TCP connections, and their listeners: how they are made, carry bytes, wait, and end. Its classes have the tag
 * {@code stream}, and know the suite's own package and no other package of the suite.
 */
package io.accel.nio.contract.stream;
