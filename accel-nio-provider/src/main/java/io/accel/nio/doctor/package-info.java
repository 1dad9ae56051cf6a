/**
 * What {@code accel doctor} finds out about a machine: whether each path can be had, and what to do where it cannot. Its
 * live checks are connections as a program makes them. The command line depends on it, and nothing else does.
 */
package io.accel.nio.doctor;
