/**
 * Packets as a network would have carried them, made of bytes that go by links: a queue of limited size that taps fill, headers of IP
 * and TCP, and the format pcapng. Depends on the stream protocol's {@code StreamTap} and the rings that it hands over.
 */
package io.accel.core.capture;
