// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of the parts of this repository that are not Java: {@code ./accel}, the scripts of the lab, and the pages; and of rules for the
 * sources of all modules. Depends on nothing else here.
 */
package io.accel.samples.repository;
