// SPDX-License-Identifier: Apache-2.0
/**
 * The objects that exist once in a process, whichever adapter needs them first. The adapters depend on this package;
 * it depends on the other packages of the core and on the profiles.
 */
package io.accel.core.runtime;
