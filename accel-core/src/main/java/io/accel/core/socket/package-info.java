/**
 * Sockets that choose their path: a {@link io.accel.core.socket.StreamSocket} is the kernel's connection, whose two directions
 * come to a link of a fabric, and go back, while it lives; a {@link io.accel.core.socket.StreamListener} lets clients of all
 * fabrics ask for links. This is what adapters use; it depends on the other packages of the core and on the profiles.
 *
 * <p>A stream has two directions, {@link io.accel.core.socket.Incoming} and {@link io.accel.core.socket.Outgoing}. {@code StreamHandover}
 * is how its link comes and goes, {@link io.accel.core.socket.StreamReadiness} what pollers wait for, {@code LinkLoss} what follows when
 * the link breaks, and {@code AnchorEnd} how the kernel's connection ends. A link in use is a {@link
 * io.accel.core.socket.LinkStream}, with a {@link io.accel.core.socket.LinkReader} and a {@link io.accel.core.socket.LinkWriter}; {@code
 * LinkLease} says who may touch its memory.
 *
 * <p>One thread ({@code StreamUpgrades}) looks for links, takes connections off those that broke ({@code Resumption}), and gives back
 * those that are idle ({@code LinkRetirement}).
 */
package io.accel.core.socket;
