// SPDX-License-Identifier: Apache-2.0
/**
 * Netty's own transport test suite over Accel, one subclass for each of its classes, as Netty's native transports have them.
 * What does not apply stands, with its reason, in {@code NotApplicable}.
 */
package io.accel.netty.testsuite;
