/** Placeholder. */
package io.accel.netty;
