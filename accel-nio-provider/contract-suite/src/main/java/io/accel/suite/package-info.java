// SPDX-License-Identifier: Apache-2.0
/**
 * What runs the contract suite: the runs there are. It knows the suite's paths; the suite knows nothing of it.
 */
package io.accel.suite;
