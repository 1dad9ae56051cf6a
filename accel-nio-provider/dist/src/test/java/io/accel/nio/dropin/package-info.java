// SPDX-License-Identifier: Apache-2.0
/** Tests of the finished drop-in jar, from outside: child JVMs that know the jar only from a user's command line. */
package io.accel.nio.dropin;
