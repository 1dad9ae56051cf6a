// SPDX-License-Identifier: Apache-2.0
/**
 * Sockets that choose their path: a {@link io.accel.core.socket.StreamSocket} is the kernel's connection, and its two directions come to a
 * link of a fabric, and go back, while it lives; a {@link io.accel.core.socket.StreamListener} lets clients of all fabrics ask for links.
 * Adapters use this package; it depends on the other packages of the core and on the profiles. An adapter whose connections may end before
 * anything of this is needed begins with a {@link io.accel.core.socket.PlainStream}.
 *
 * <p>A stream has two directions, {@link io.accel.core.socket.Incoming} and {@link io.accel.core.socket.Outgoing}. {@code StreamHandover}
 * brings its link and takes it away, pollers wait for {@link io.accel.core.socket.StreamReadiness}, {@code LinkLoss} deals with a broken
 * link, and {@code AnchorEnd} ends the kernel's connection. A link in use is a {@link io.accel.core.socket.LinkStream}, with a {@link
 * io.accel.core.socket.LinkReader} and a {@link io.accel.core.socket.LinkWriter}; {@code LinkLease} decides which threads may touch its
 * memory.
 *
 * <p>One thread ({@code StreamSearches}) looks for links. Another ({@code StreamUpgrades}) keeps the connections going that have one: it takes
 * connections off links that broke ({@code Resumption}), and gives back links that are idle ({@code LinkRetirement}).
 */
package io.accel.core.socket;
