/** Tests of the datagram protocol, within one thread, over links that check what is owed to them. */
package io.accel.core.datagram;
