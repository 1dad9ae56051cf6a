// SPDX-License-Identifier: Apache-2.0
/**
 * Netty's own transport test suite over Accel, one subclass for each of its classes, as Netty's native transports have them.
 * {@code NotApplicable} lists the tests that do not apply, each with its reason.
 */
package io.accel.netty.testsuite;
