// SPDX-License-Identifier: Apache-2.0
/**
 * The checks of {@code accel doctor}. They find out whether each path is available on a machine, and what to do if it is not. The live
 * checks open connections as a program does. Of the fabrics this package knows only the SPI and shared memory's directory. Only the
 * command line depends on it.
 */
package io.accel.nio.doctor;
