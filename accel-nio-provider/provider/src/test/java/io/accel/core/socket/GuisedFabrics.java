// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.PortSpace;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A profile at work whose fabric for streams has a test's object before it. */
public final class GuisedFabrics {
    private GuisedFabrics() {}

    /** Puts a profile to work with shared memory alone. */
    public static Accelerator accelerator(Profile profile, UnaryOperator<Fabric> guise) {
        Fabric fabric = Fabrics.all(profile, PortSpace.TCP).get(FabricName.SHM);
        return new Accelerator(profile, Map.of(FabricName.SHM, guise.apply(fabric)));
    }
}
