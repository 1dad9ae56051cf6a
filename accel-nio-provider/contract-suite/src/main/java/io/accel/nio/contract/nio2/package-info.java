// SPDX-License-Identifier: Apache-2.0
/**
 * Asynchronous channels and their groups. Its classes have the tag {@code nio2}, and know the suite's own package and no other
 * package of the suite.
 */
package io.accel.nio.contract.nio2;
