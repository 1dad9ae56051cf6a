/**
 * What {@code accel doctor} finds out about a machine: whether each path is available, and what to do if it is not. Its
 * live checks are connections as a program makes them. The command line depends on it, and nothing else does.
 */
package io.accel.nio.doctor;
