/** Placeholder. */
package io.accel.core;
