// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

/**
 * The rule by which a connection is worth a link: when a link would have saved it so far as much as a link costs now.
 *
 * <p>Nobody knows how much a connection will yet carry. This is the ski-rental problem: each unit of traffic through the kernel costs a
 * <em>rent</em>, which a link would have saved, and a link has a <em>price</em>, paid once. A unit is a read or a write, or each 8 KiB, of
 * the end that connected.
 *
 * <p><b>Bound.</b> Let s be the saving of a unit, p the price, both constant, and n the number of units that the connection carries in
 * its life. The best that anybody who knew n could do costs b = min(n s, p). The rule buys behind unit k, the first with k s &gt;= p, so
 * (k - 1) s &lt; p. If n &lt; k, the rule pays n s = b. Otherwise it pays k s + p &lt; 2 p + s = 2 b + s, since n s &gt;= p. So it never
 * pays more than twice the best and one unit, and no deterministic rule has a smaller factor (Karlin, Manasse, Rudolph and Sleator,
 * "Competitive Snoopy Caching", 1988). If the price changes while the connection waits, the same holds for the price at the purchase and a
 * best that pays that price.
 */
public final class SkiRental {
    /** Bytes that count as much as an operation: about what the kernel copies in the time of a system call. */
    private static final int BYTES_SHIFT = 13;

    private SkiRental() {}

    /**
     * The units of traffic.
     *
     * @param operations reads and writes
     * @param bytes bytes
     */
    public static long units(long operations, long bytes) {
        return operations + (bytes >> BYTES_SHIFT);
    }

    /**
     * How many units pay for a link.
     *
     * @param price what a link costs, in nanoseconds
     * @param saving what it saves with each unit, in nanoseconds, at least 1
     * @return the least number whose saving is not less than the price
     */
    public static long unitsDue(long price, long saving) {
        return (price + saving - 1) / saving;
    }
}
