/** Placeholder. */
package io.accel.nio;
