// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.handover.UpgradeGate;
import java.util.function.BooleanSupplier;

/**
 * Whether this process is too young for its crowded processors to do what can wait: the same question as whether it can afford its first link.
 * One thread asks, now and then. The machine is not looked at before.
 */
public final class NoTimeToSpare implements BooleanSupplier {
    private UpgradeGate gate;

    @Override
    public boolean getAsBoolean() {
        if (gate == null) {
            gate = new UpgradeGate(new LoadSenses(), PricedUpgrades.SHARE);
        }
        return !gate.serves(System.nanoTime());
    }
}
