/**
 * Sockets that choose their path: a {@link io.accel.core.socket.StreamSocket} tries the fabrics that the profile names and
 * falls back to the kernel's socket, a {@link io.accel.core.socket.StreamListener} takes connections from all of them at
 * once. This is what adapters use; it depends on the other packages of the core and on the profiles.
 */
package io.accel.core.socket;
