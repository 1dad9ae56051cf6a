// SPDX-License-Identifier: Apache-2.0
/**
 * Models of the handshakes between threads and processes, explored exhaustively: every interleaving, and every delay that a
 * processor with store buffers (x86's total store order) may give a store. Each model is checked twice: as the code has
 * it, where nothing may go wrong, and with one step of the code taken out, where the explorer must find what then goes
 * wrong. The second shows that the first can fail.
 */
package io.accel.core.model;
