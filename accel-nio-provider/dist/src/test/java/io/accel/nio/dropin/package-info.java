// SPDX-License-Identifier: Apache-2.0
/** Tests of the finished drop-in jar, from outside: child JVMs that know of it what a user's command line says. */
package io.accel.nio.dropin;
