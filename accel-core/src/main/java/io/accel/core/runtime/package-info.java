/**
 * What there is once in a process, whichever adapter needs it first. The adapters depend on it; it depends on the other packages of
 * the core and on the profiles.
 */
package io.accel.core.runtime;
