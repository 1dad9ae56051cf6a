/**
 * How Accel works for itself inside a program: its daemon threads, what it does with its own rights rather than the program's, and
 * warnings that cannot fill a disk. Depends on the JDK alone.
 */
package io.accel.core.daemon;
