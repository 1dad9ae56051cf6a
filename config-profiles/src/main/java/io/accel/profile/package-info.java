/** Placeholder. */
package io.accel.profile;
