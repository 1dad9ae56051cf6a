/**
 * Sockets that choose their path: a {@link io.accel.core.socket.StreamSocket} is the kernel's connection, whose two directions
 * come to a link of a fabric, and go back, while it lives; a {@link io.accel.core.socket.StreamListener} lets clients of all
 * fabrics ask for links. One thread ({@code StreamUpgrades}) looks for links, takes connections off those that broke ({@code
 * Resumption}), and gives back those that are idle ({@code LinkRetirement}). This is what adapters use; it depends on the other
 * packages of the core and on the profiles.
 */
package io.accel.core.socket;
