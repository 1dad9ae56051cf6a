// SPDX-License-Identifier: Apache-2.0
/**
 * Sockets of {@code java.net} that no channel made. Its classes have the tag {@code plain}, and know the suite's own package and
 * no other package of the suite.
 */
package io.accel.nio.contract.plain;
