/**
 * Planned: what one can see of Accel from outside. Counters by path and by reason of fall-back, a Micrometer binder, JFR
 * events, and the statistics file that {@code accel stats} reads.
 *
 * <p>Counters are written by one thread each and read by any. Every package of the core may count; nothing here calls
 * back into them.
 */
package io.accel.core.observe;
