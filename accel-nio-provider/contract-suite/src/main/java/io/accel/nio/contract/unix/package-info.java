// SPDX-License-Identifier: Apache-2.0
/** Streams of Unix-domain sockets. Its classes have the tag {@code unix}, and know the suite's own package and no other one of it. */
package io.accel.nio.contract.unix;
