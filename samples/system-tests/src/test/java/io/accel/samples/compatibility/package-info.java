// SPDX-License-Identifier: Apache-2.0
/**
 * Makes docs/COMPATIBILITY.md from the marks of tests in all modules, and from the versions in the modules' {@code pom.xml}.
 * Reads sources, so that no other module needs to be built for it.
 */
package io.accel.samples.compatibility;
