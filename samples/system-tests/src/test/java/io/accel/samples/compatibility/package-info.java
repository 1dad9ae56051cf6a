// SPDX-License-Identifier: Apache-2.0
/**
 * Makes docs/COMPATIBILITY.md of the marks that tests of all modules have, and of the versions in the modules' {@code pom.xml}. Reads sources, so
 * that no other module needs to be built for it.
 */
package io.accel.samples.compatibility;
