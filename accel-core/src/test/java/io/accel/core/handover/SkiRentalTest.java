// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The bound that {@link SkiRental} claims, for any connection, price and saving. */
class SkiRentalTest {
    /** What a connection costs that pays for a link behind the unit at which the rule says so, or never. */
    private static long cost(long units, long price, long saving) {
        long due = SkiRental.unitsDue(price, saving);
        return units < due ? units * saving : due * saving + price;
    }

    @Property
    void nobodyPaysMoreThanTwiceTheBestAndAUnit(
            @ForAll @LongRange(min = 0, max = 1_000_000) long units,
            @ForAll @LongRange(min = 1, max = 1_000_000_000) long price,
            @ForAll @IntRange(min = 1, max = 1_000_000) int saving) {
        long best = Math.min(units * saving, price);
        assertThat(cost(units, price, saving)).isLessThanOrEqualTo(2 * best + saving);
    }

    /** One unit fewer has not paid for the link, so the rule never comes late. */
    @Property
    void itBuysAsSoonAsTheRentHasReachedThePrice(
            @ForAll @LongRange(min = 1, max = 1_000_000_000) long price,
            @ForAll @IntRange(min = 1, max = 1_000_000) int saving) {
        long due = SkiRental.unitsDue(price, saving);
        assertThat(due * saving).isGreaterThanOrEqualTo(price);
        assertThat((due - 1) * saving).isLessThan(price);
    }

    /** A connection that waits while the price changes buys at the first unit that has paid the price of that moment. */
    @Property
    void theBoundHoldsForThePriceOfThePurchase(
            @ForAll @Size(min = 1, max = 20) List<@LongRange(min = 1, max = 100_000) Long> prices,
            @ForAll @IntRange(min = 1, max = 1_000) int saving,
            @ForAll @LongRange(min = 0, max = 200_000) long units) {
        for (long unit = 1; unit <= units; unit++) {
            long price = prices.get((int) (unit % prices.size()));
            if (unit >= SkiRental.unitsDue(price, saving)) {
                long before = prices.get((int) ((unit - 1) % prices.size()));
                assertThat((unit - 1) * saving).isLessThan(before); // it would have bought a unit earlier
                long best = Math.min(units * saving, price);
                long paid = unit * saving + price;
                assertThat(paid).isLessThanOrEqualTo(best + Math.max(price, before) + saving);
                return;
            }
        }
    }

    @Test
    void operationsAndBytesAreOneMeasure() {
        assertThat(SkiRental.units(7, 0)).isEqualTo(7);
        assertThat(SkiRental.units(0, 8_191)).isZero();
        assertThat(SkiRental.units(2, 65_536)).isEqualTo(10);
    }

    @Test
    void pricesFollowWhatLinksHaveCost() {
        UpgradePrices prices = new UpgradePrices(5_000);
        assertThat(prices.areDue(1_999, 0)).isFalse();
        assertThat(prices.areDue(2_000, 0)).isTrue(); // 10 ms
        for (int i = 0; i < 40; i++) {
            prices.paid(10, 2_000_000); // 0.2 ms each at this end, and as much at the other
        }
        assertThat(prices.price()).isBetween(400_000L, 410_000L);
        assertThat(prices.areDue(79, 0)).isFalse();
        assertThat(prices.areDue(82, 0)).isTrue();
        prices.paid(1, 0);
        assertThat(prices.price()).isGreaterThan(100_000);
    }

    @Test
    void savingsAreNeverTakenForLessThanTheProfileSays() {
        UpgradePrices prices = new UpgradePrices(5_000);
        prices.saved(0);
        assertThat(prices.saving()).isEqualTo(5_000);
        for (int i = 0; i < 40; i++) {
            prices.saved(15_000);
        }
        assertThat(prices.saving()).isBetween(14_900L, 15_000L);
        for (int i = 0; i < 40; i++) {
            prices.saved(1_000_000_000); // what the program does between two messages
        }
        assertThat(prices.saving()).isBetween(49_000L, 50_000L);
    }
}
