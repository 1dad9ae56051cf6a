// SPDX-License-Identifier: Apache-2.0
/** Apache Cassandra among the real programs of {@code io.accel.samples.apps}, which it uses; on a class path of its own. */
package io.accel.samples.apps.cassandra;
