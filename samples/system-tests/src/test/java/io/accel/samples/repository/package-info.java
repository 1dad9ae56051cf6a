// SPDX-License-Identifier: Apache-2.0
/** Tests of what this repository has beside Java: {@code ./accel}, the scripts of the lab, and the pages. Depends on nothing else here. */
package io.accel.samples.repository;
