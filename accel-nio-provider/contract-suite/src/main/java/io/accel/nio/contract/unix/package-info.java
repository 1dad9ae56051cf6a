// SPDX-License-Identifier: Apache-2.0
/**
 * Streams of Unix-domain sockets. Its classes have the tag {@code unix}, and know the suite's own package and no other package of
 * the suite.
 */
package io.accel.nio.contract.unix;
