// SPDX-License-Identifier: Apache-2.0
/**
 * The means by which Accel works for itself inside a program: its daemon threads, actions with its own rights rather
 * than the program's, and warnings that cannot fill a disk. The package depends on the JDK alone.
 */
package io.accel.core.daemon;
