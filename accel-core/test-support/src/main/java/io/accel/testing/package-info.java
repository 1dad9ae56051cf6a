/**
 * What the tests of several modules have in common. Depends on nothing but the JDK, since it is on the class path of all of them. No
 * program uses it.
 */
package io.accel.testing;
