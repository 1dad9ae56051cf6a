// SPDX-License-Identifier: Apache-2.0
/**
 * The types that the API of every adapter has in common: the path that the bytes of a connection take, and why it is not a faster one.
 * Depends on nothing but the JDK.
 */
package io.accel;
