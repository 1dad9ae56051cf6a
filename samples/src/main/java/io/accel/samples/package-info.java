/** Placeholder. */
package io.accel.samples;
