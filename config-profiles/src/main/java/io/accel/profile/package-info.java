/**
 * Profiles: the typed schema of every setting, the presets, the parser of a user's own file, and the transport rules
 * that say which connections to accelerate.
 *
 * <p>Lives here: {@link io.accel.profile.Keys} (every setting, once), {@link io.accel.profile.Profile} (the settings in
 * force, each with where it came from), {@link io.accel.profile.Profiles} (presets, checking a file) and {@link
 * io.accel.profile.TransportRules}. The schema makes the parser, the error messages and the reference page.
 *
 * <p>Depends on nothing but the JDK; every other module may depend on it. It opens no socket, starts no thread and
 * resolves no host name, since it runs while the JDK is still loading its selector provider.
 */
package io.accel.profile;
