// SPDX-License-Identifier: Apache-2.0
/**
 * Code that the tests of several modules share. It is on the class path of all of them, and depends on nothing but the JDK, Awaitility for
 * waits and JUnit's launcher, which all tests have, and ArchUnit for the rules, which only the modules that check them have. No program
 * uses it.
 */
package io.accel.testing;
