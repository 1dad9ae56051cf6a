// SPDX-License-Identifier: Apache-2.0
/**
 * What the tests of several modules have in common. Depends on nothing but the JDK, since it is on the class path of all of them, and on
 * ArchUnit for the rules, which only the modules that check them have. No program uses it.
 */
package io.accel.testing;
