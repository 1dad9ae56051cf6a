// SPDX-License-Identifier: Apache-2.0
/**
 * Models of the handshakes between threads and processes, explored exhaustively: every interleaving, and every delay that a
 * processor with store buffers (x86's total store order) may give a store. Each model is checked twice: as the code is,
 * where nothing may go wrong, and with one step of the code removed, where the explorer must find the failure. The second check
 * shows that the first can fail.
 */
package io.accel.core.model;
