// SPDX-License-Identifier: Apache-2.0
/**
 * The runs of the contract suite, and the program behind {@code ./accel contract}. It knows the suite's paths and the names of its
 * tests; the suite knows nothing of it.
 */
package io.accel.suite;
