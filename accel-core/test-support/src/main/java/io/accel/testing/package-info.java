// SPDX-License-Identifier: Apache-2.0
/**
 * Code that the tests of several modules share. Depends on nothing but the JDK, since it is on the class path of all of them, on
 * Awaitility for waits, which all tests have, and on ArchUnit for the rules, which only the modules that check them have. No program uses it.
 */
package io.accel.testing;
