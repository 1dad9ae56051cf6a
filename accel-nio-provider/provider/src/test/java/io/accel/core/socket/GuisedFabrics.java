// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.PortSpace;
import io.accel.profile.FabricName;
import io.accel.profile.Profile;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A profile at work whose fabrics, for streams and for datagrams, have a test's object before them. */
public final class GuisedFabrics {
    private GuisedFabrics() {}

    /** Puts a profile to work with shared memory alone. */
    public static Accelerator accelerator(Profile profile, UnaryOperator<Fabric> guise) {
        return new Accelerator(
                profile,
                new Fabrics(
                        profile,
                        Map.of(FabricName.SHM, guised(profile, PortSpace.TCP, guise)),
                        Map.of(FabricName.SHM, guised(profile, PortSpace.UDP, guise))));
    }

    private static Fabric guised(Profile profile, PortSpace space, UnaryOperator<Fabric> guise) {
        return guise.apply(Fabrics.all(profile, space).get(FabricName.SHM));
    }
}
