// SPDX-License-Identifier: Apache-2.0
/**
 * The view of Accel from outside: counters by path and by reason of fallback, JFR events, and the samples that {@code
 * accel stats} shows of a running process. {@code observe.metrics} has what the property {@code accel.metrics} asks for.
 *
 * <p><b>Counting costs nothing.</b> On the data path a counter is a plain field, written by the thread that owns that
 * direction, or that poller's turn, anyway; bytes are not counted at all, since the cursors tell them. Other threads
 * read such a field by an opaque load, and may see it a moment late. Rare events, such as a connection, a fallback or
 * a system call, are counted atomically. When a connection closes, its figures are folded into those of the process.
 *
 * <p>Every package of the core may count; this one depends on the enums of the profiles and of {@code io.accel}, and on
 * {@code core.jdk}.
 */
package io.accel.core.observe;
