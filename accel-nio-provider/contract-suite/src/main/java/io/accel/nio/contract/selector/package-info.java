// SPDX-License-Identifier: Apache-2.0
/**
 * Selectors, keys, readiness, and the provider that opens all of it. Its classes have the tag {@code selector}, and know the
 * suite's own package and no other package of the suite.
 */
package io.accel.nio.contract.selector;
