// SPDX-License-Identifier: Apache-2.0
/**
 * A program that stands on another host for the listeners of the contract suite, so that the suite's connections run between
 * two hosts. It knows the JDK's API alone, and is run with the provider and the path that the suite is run with.
 */
package io.accel.nio.contract.relay;
