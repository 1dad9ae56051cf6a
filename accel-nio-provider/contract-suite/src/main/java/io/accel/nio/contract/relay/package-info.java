// SPDX-License-Identifier: Apache-2.0
/**
 * A program on another host that stands in for the listeners of the contract suite, so that the suite's connections run between
 * two hosts. It knows the JDK's API alone, and runs with the same provider and path as the suite.
 */
package io.accel.nio.contract.relay;
