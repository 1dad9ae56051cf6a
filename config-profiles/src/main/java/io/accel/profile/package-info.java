// SPDX-License-Identifier: Apache-2.0
/**
 * Profiles: the typed schema of every setting, the presets, the parser of a user's own file, and the transport rules
 * that say which connections to accelerate.
 *
 * <p>The package contains {@link io.accel.profile.Keys} (every setting, once), {@link io.accel.profile.Profile} (the
 * settings in force, each with its origin), {@link io.accel.profile.Profiles} (presets, checking a file) and {@link
 * io.accel.profile.TransportRules}. The parser, the error messages and the reference page are derived from the
 * schema.
 *
 * <p>It depends on nothing but the JDK; every other module may depend on it. It opens no socket, starts no thread and
 * resolves no host name, since it runs while the JDK is still loading its selector provider.
 */
package io.accel.profile;
