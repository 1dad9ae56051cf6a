// SPDX-License-Identifier: Apache-2.0
/** A program of Spring Boot, which knows nothing of Accel, on the libraries that Spring Boot chooses. */
package io.accel.samples.apps.boot;
