/**
 * What {@code accel doctor} finds out about a machine: whether each path is available, and what to do if it is not. Its
 * live checks are connections as a program makes them. Of the fabrics
 * it knows the SPI and shared memory's directory. Only the command line depends on it.
 */
package io.accel.nio.doctor;
