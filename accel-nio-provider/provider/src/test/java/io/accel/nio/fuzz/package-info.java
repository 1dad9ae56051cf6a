// SPDX-License-Identifier: Apache-2.0
/**
 * A differential fuzzer: random programs of channels and selectors, run on the JDK's provider and on Accel's, must answer alike.
 *
 * <p>A {@link io.accel.nio.fuzz.Step} does one thing and reports the outcome. Where the kernel may answer in more than one way,
 * the step's words leave that open, and the code that makes them says so:
 *
 * <ul>
 *   <li>a read may bring less than there is, and a non-blocking write may take less: a step goes on until it has everything,
 *       and reports the sum ({@link io.accel.nio.fuzz.Transfers});
 *   <li>how many bytes a connection takes that nobody reads: programs leave less unread than every path takes
 *       ({@link io.accel.nio.fuzz.World#ROOM}), and of a write that has to wait only the end is reported
 *       ({@link io.accel.nio.fuzz.Waits});
 *   <li>whether what ends a channel that is written to all the time comes in the middle of a write or between two
 *       ({@link io.accel.nio.fuzz.Together});
 *   <li>a non-blocking connect on this host may be done at once ({@link io.accel.nio.fuzz.Openings});
 *   <li>connecting the adaptor of a channel that is connected: the JDK's releases differ ({@link io.accel.nio.fuzz.Openings});
 *   <li>ports, and the names of the classes of channels ({@link io.accel.nio.fuzz.World#plain});
 *   <li>when small writes arrive: Nagle's algorithm is off ({@link io.accel.nio.fuzz.Connection});
 *   <li>in which order datagrams of several senders arrive: a datagram is received alone only if there is no other, or only one sender;
 *       otherwise all are received and listed by sender ({@link io.accel.nio.fuzz.Datagrams});
 *   <li>when a datagram arrives: where one must be on its way, receives go on for a while ({@link io.accel.nio.fuzz.Datagrams});
 *   <li>how many datagrams a receiver keeps: programs leave less unread than every path keeps ({@link io.accel.nio.fuzz.DatagramEnd});
 *   <li>whether the port of a datagram channel that was closed while it was registered is free, and what a connected sender hears of a
 *       peer that is connected to another: docs/LIMITS.md ({@link io.accel.nio.fuzz.World#isUnsure}, {@link
 *       io.accel.nio.fuzz.DatagramEnd#hears});
 *   <li>the outcome of an operation that begins on a closed datagram channel: the JDK's releases differ ({@link
 *       io.accel.nio.fuzz.Datagrams});
 *   <li>the outcome on a connection that was closed with more bytes written than its peer has room for: docs/LIMITS.md ({@link
 *       io.accel.nio.fuzz.Direction#overfill});
 *   <li>the other findings of a selection that may wait and finds something on a faster path, and that it finds nothing because of a
 *       connect that is over: docs/LIMITS.md ({@link io.accel.nio.fuzz.Selections});
 *   <li>the peer's view of a channel in blocking mode that is closed while its selector still holds a cancelled key of it: docs/LIMITS.md
 *       ({@link io.accel.nio.fuzz.Selections#letGo});
 *   <li>whether a selected key forgets what it is no longer interested in: docs/LIMITS.md ({@link io.accel.nio.fuzz.Selections});
 *   <li>how many bytes before a page that is gone the kernel takes or brings: the steps move the others themselves; and whether a write that has
 *       such a page and no reader fails for the one or the other ({@link io.accel.nio.fuzz.BufferSteps});
 *   <li>when the news of an end arrives: after each end the program rests a moment ({@link io.accel.nio.fuzz.World#rest}).
 * </ul>
 *
 * <p>Other questions that the JDK answers in more than one way are found by running the program again: {@link
 * io.accel.nio.fuzz.Comparison}.
 */
package io.accel.nio.fuzz;
