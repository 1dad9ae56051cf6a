// SPDX-License-Identifier: Apache-2.0
/** Tests of the datagram protocol, within one thread, over links that check what is owed to them. */
package io.accel.core.datagram;
