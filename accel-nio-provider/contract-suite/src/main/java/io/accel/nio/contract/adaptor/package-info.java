// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of adaptors over a channel: the sockets that a channel returns, and the streams of {@code Channels}. Its classes have the
 * tag {@code adaptor}, and know the suite's own package and no other package of the suite.
 */
package io.accel.nio.contract.adaptor;
