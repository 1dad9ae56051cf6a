// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/**
 * Fills two cache lines, which processors fetch in pairs, in front of the fields of a subclass. Collectors put
 * objects that one collection refers to side by side.
 */
@SuppressWarnings("unused") // it only takes room
abstract class PollCountersPadding {
    private long p01;
    private long p02;
    private long p03;
    private long p04;
    private long p05;
    private long p06;
    private long p07;
    private long p08;
    private long p09;
    private long p10;
    private long p11;
    private long p12;
    private long p13;
    private long p14;
    private long p15;
    private long p16;
}
